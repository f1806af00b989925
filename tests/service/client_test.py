#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""client_test.py BUILD: the Python client, both examples with stand-ins for a trainer and a model server, and a small load
with kill -9, against the real program with a judge whose verdicts are a function of the source's hash."""
import concurrent.futures
import hashlib
import http.server
import json
import os
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(sys.argv.pop(1))
PROGRAM, WORKER = os.path.join(BUILD, "warpwright"), os.path.join(BUILD, "tests", "fake_worker")
sys.path[:0] = [os.path.join(ROOT, "python"), os.path.join(ROOT, "python", "examples")]
sys.dont_write_bytecode = True
import reward_function  # noqa: E402
import warpwright_client  # noqa: E402


def answer(number):
    return f"Try {number}.\n\n```cuda\n__global__ void k(float* o) {{ o[threadIdx.x] = {number}; }}\n" \
           "extern \"C\" void solve(float* o) { k<<<1, 32>>>(o); }\n```\n"


def is_right(number):
    """As tests/support/fake_worker.cpp says."""
    source = answer(number).split("```cuda\n")[1].split("```")[0]
    return hashlib.sha256(source.encode()).hexdigest()[0] > "4"


class Service:
    def __init__(self, folder, worker=WORKER, jobs=2):
        self.worker, self.jobs = worker, jobs
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.token = secrets.token_hex(16)
        self.folder = folder
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self):
        environment = {"PATH": "/usr/bin:/bin", "HOME": self.folder, "WARPWRIGHT_TOKEN": self.token,
                       "ASAN_OPTIONS": "detect_leaks=0"}
        self.process = subprocess.Popen([PROGRAM, "serve", "--judge", "--port", str(self.port), "--archive", "a.db",
                                         "--worker", self.worker, "--jobs", str(self.jobs)], cwd=self.folder, env=environment,
                                        stdout=subprocess.DEVNULL)
        for _ in range(1200):
            try:
                warpwright_client.Judge(self.url, self.token).metrics()
                return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("the service does not start")

    def end(self):
        self.process.kill()
        self.process.wait()


class Served(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.service = Service(cls.folder.name)
        os.environ["WARPWRIGHT_URL"], os.environ["WARPWRIGHT_TOKEN"] = cls.service.url, cls.service.token
        warpwright_client._default.__dict__.clear()
        cls.judge = warpwright_client.Judge(wait_s=5, patience_s=120)

    @classmethod
    def tearDownClass(cls):
        cls.service.end()
        cls.folder.cleanup()


class Client(Served):
    def test_verdicts_and_refusals(self):
        for number in range(4):
            result = self.judge.judge("transpose", answer=answer(number))
            self.assertEqual(result["verdict"] == "ok", is_right(number))
            self.assertEqual(result["reward"] > 0, is_right(number))
        self.assertEqual(self.judge.judge("transpose", answer="I cannot.")["verdict"], "no_code")
        with self.assertRaises(warpwright_client.Refused):
            self.judge.judge("no_such_task", answer=answer(0))
        with self.assertRaises(warpwright_client.Refused):
            warpwright_client.Judge(token="wrong" * 8, patience_s=5).judge("transpose", answer=answer(0))
        with self.assertRaises(ValueError):
            self.judge.judge("transpose")

    def test_batches_of_any_length_and_equal_questions(self):
        results = self.judge.judge_batch([{"task": "transpose", "answer": answer(i % 3)} for i in range(70)])
        self.assertEqual([r["verdict"] == "ok" for r in results], [is_right(i % 3) for i in range(70)])
        self.assertEqual(len({r["id"] for r in results}), 3)

    def test_kill_of_the_service_loses_nothing(self):
        before = self.judge.judge("reduce", answer=answer(50))
        results = []
        answers = [answer(60 + i) for i in range(4)]
        waiting = threading.Thread(target=lambda: results.extend(self.judge.rewards(["reduce"] * 4, answers)))
        waiting.start()
        time.sleep(0.2)
        self.service.end()
        self.service.start()
        waiting.join(120)
        self.assertEqual([r > 0 for r in results], [is_right(60 + i) for i in range(4)])
        again = self.judge.judge("reduce", answer=answer(50))
        self.assertEqual((again["id"], again["reward"]), (before["id"], before["reward"]))

    def test_nobody_there(self):
        judge = warpwright_client.Judge("http://127.0.0.1:9", "x" * 16, patience_s=0.5)
        with self.assertRaises(warpwright_client.Unavailable):
            judge.judge("transpose", answer=answer(0))


class Trainers(Served):
    """The calls as TRL and verl make them."""

    def test_trl(self):
        # GRPOTrainer: prompts, completions and every column but these as keywords, each prompt G times.
        group, prompts = 4, [[{"role": "user", "content": "Write it."}]] * 2
        completions = [[{"role": "assistant", "content": answer(i)}] for i in range(2 * group)]
        rows = [{"prompt": prompts[i // group], "task": "transpose", "level": 1} for i in range(2 * group)]
        columns = {key: [row[key] for row in rows] for key in rows[0] if key not in ("prompt", "completion")}
        rewards = reward_function.kernel_reward(prompts=[row["prompt"] for row in rows], completions=completions,
                                                completion_ids=[[1]] * len(rows), trainer_state=object(), **columns)
        self.assertEqual([r > 0 for r in rewards], [is_right(i) for i in range(2 * group)])
        for first in range(0, len(rewards), group):
            part = rewards[first:first + group]
            spread = statistics.pstdev(part)
            advantages = [(r - statistics.fmean(part)) / (spread + 1e-4) for r in part]
            self.assertAlmostEqual(sum(advantages), 0, 6)
        texts = reward_function.kernel_reward(prompts=["p"], completions=[answer(0)], task=["transpose"])
        self.assertEqual(texts, rewards[:1])
        self.assertEqual(reward_function.kernel_reward(prompts=["p"], completions=["x"], task=["none"]), [None])
        # A chat with tools: what a tool answered is not the model's.
        chat = [[{"role": "assistant", "content": None, "tool_calls": []}, {"role": "tool", "content": answer(0)},
                 {"role": "assistant", "content": [{"type": "text", "text": "I cannot."}]}]]
        self.assertEqual(reward_function.kernel_reward(prompts=["p"], completions=chat, task=["transpose"]), [0])

    def test_verl(self):
        naive = [reward_function.compute_score(data_source="warpwright", solution_str=answer(i), ground_truth="transpose",
                                               extra_info={"index": i}) for i in range(3)]
        batch = reward_function.compute_scores(data_sources=["warpwright"] * 3, solution_strs=[answer(i) for i in range(3)],
                                               ground_truths=[None] * 3, extra_infos=[{"task": "transpose"}] * 3)
        self.assertEqual(naive, batch)
        # The reward loop: from threads, with keywords of its own and what the rollout has added to extra_info.
        with concurrent.futures.ThreadPoolExecutor(3) as threads:
            loop = list(threads.map(lambda i: reward_function.compute_score(
                data_source="warpwright", solution_str=answer(i), ground_truth="transpose",
                extra_info={"num_turns": 2, "rollout_reward_scores": {}}, reward_router_address=None,
                reward_model_tokenizer=None), range(3)))
        self.assertEqual(loop, batch)
        self.assertEqual([r > 0 for r in batch], [is_right(i) for i in range(3)])

    def test_rejection_sampling(self):
        class Model(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                text = json.dumps({"choices": [{"message": {"role": "assistant", "content": answer(body["seed"])}}]})
                self.send_response(200)
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *unused):
                pass

        model = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
        threading.Thread(target=model.serve_forever, daemon=True).start()
        out = os.path.join(self.folder.name, "kept.jsonl")
        subprocess.run([sys.executable, os.path.join(ROOT, "python/examples/rejection_sampling.py"), "--base-url",
                        f"http://127.0.0.1:{model.server_port}/v1", "--model", "m", "--task", "transpose", "--samples", "6",
                        "--prompt", "Write it.", "--out", out], check=True, stderr=subprocess.DEVNULL)
        model.shutdown()
        model.server_close()
        with open(out, encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        self.assertEqual(len(rows), 1)
        self.assertEqual(rows[0]["verdict"], "ok")
        best = self.judge.rewards(["transpose"] * 6, [answer(i) for i in range(6)])
        self.assertEqual(rows[0]["reward"], max(best))


class Baselines(unittest.TestCase):
    def test_many_at_once_need_one_baseline(self):
        with tempfile.TemporaryDirectory() as folder:
            worker, seen = os.path.join(folder, "worker.sh"), os.path.join(folder, "baselines")
            with open(worker, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\ngrep '\"is_baseline\": *true' \"$1/request.json\" >> '{seen}' && sleep 1\n"
                           f"exec '{WORKER}' \"$1\"\n")
            os.chmod(worker, 0o755)
            service = Service(folder, worker, jobs=4)
            right = [i for i in range(30) if is_right(i)][:8]
            try:
                judge = warpwright_client.Judge(service.url, service.token, patience_s=120)
                results = judge.judge_batch([{"task": "transpose", "answer": answer(i)} for i in right])
            finally:
                service.end()
            self.assertTrue(all(result["rewards"]["kevin"] > 0.3 for result in results))
            with open(seen, encoding="utf-8") as file:
                self.assertEqual(len(file.readlines()), 1)


    def test_a_baseline_is_judged_beside_the_first_candidate(self):
        with tempfile.TemporaryDirectory() as folder:
            worker, seen = os.path.join(folder, "worker.sh"), os.path.join(folder, "baseline")
            with open(worker, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\nif grep -q '\"is_baseline\": *true' \"$1/request.json\"; then touch '{seen}'; else\n"
                           f"for i in $(seq 300); do [ -e '{seen}' ] && break; sleep 0.1; done\n"
                           f"[ -e '{seen}' ] || touch '{seen}.late'\nfi\nexec '{WORKER}' \"$1\"\n")
            os.chmod(worker, 0o755)
            service = Service(folder, worker, jobs=4)
            wrong = next(i for i in range(30) if not is_right(i))
            try:
                judge = warpwright_client.Judge(service.url, service.token, patience_s=120)
                self.assertEqual(judge.judge("transpose", answer=answer(wrong))["reward"], 0)
            finally:
                service.end()
            self.assertFalse(os.path.exists(seen + ".late"))


class Load(unittest.TestCase):
    def test_a_small_load(self):
        subprocess.run([sys.executable, os.path.join(ROOT, "bench/service_load"), "--program", PROGRAM, "--worker", WORKER,
                        "--posts", "60", "--clients", "8", "--distinct", "10", "--kills", "1"], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})


if __name__ == "__main__":
    unittest.main()
