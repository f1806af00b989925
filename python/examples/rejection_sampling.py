#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rejection sampling against any server that speaks OpenAI's chat protocol: ask, judge, keep the best right answer.

    warpwright serve --judge &                                    # WARPWRIGHT_TOKEN is set
    python/examples/rejection_sampling.py --base-url http://127.0.0.1:8000/v1 --model my-model \\
        --task transpose --task reduce --samples 8 --out kept.jsonl

Prompts are what `warpwright prompt TASK` prints. Every kept line has the messages, the reward, the verdict and the times.
MODEL_API_KEY is sent where it is set. The standard library alone.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from warpwright_client import Judge  # noqa: E402


def prompt_of(program, task):
    """The question a search would begin with."""
    return subprocess.run([program, "prompt", task], check=True, capture_output=True, text=True).stdout


def ask(arguments, prompt, number):
    """One sample of the model; empty where the server gave none."""
    body = {"model": arguments.model, "messages": [{"role": "user", "content": prompt}],
            "temperature": arguments.temperature, "max_tokens": arguments.max_tokens, "seed": number}
    request = urllib.request.Request(arguments.base_url.rstrip("/") + "/chat/completions", json.dumps(body).encode(),
                                     {"Content-Type": "application/json"})
    if os.environ.get("MODEL_API_KEY"):
        request.add_header("Authorization", "Bearer " + os.environ["MODEL_API_KEY"])
    try:
        with urllib.request.urlopen(request, timeout=arguments.timeout) as answer:
            message = json.load(answer)["choices"][0]["message"]
    except (urllib.error.URLError, OSError, ValueError, KeyError, IndexError) as error:
        print(f"no sample: {error}", file=sys.stderr)
        return ""
    return message.get("content") or ""


def sample_task(arguments, judge, task):
    prompt = arguments.prompt or prompt_of(arguments.program, task)
    with concurrent.futures.ThreadPoolExecutor(arguments.parallel) as pool:
        answers = list(pool.map(lambda number: ask(arguments, prompt, number), range(arguments.samples)))
    results = judge.judge_batch([{"task": task, "answer": answer, "reward": arguments.reward} for answer in answers])
    rows = []
    for answer, result in zip(answers, results):
        if result["status"] != 200:
            print(f"{task}: {result.get('error')}", file=sys.stderr)
            continue
        rows.append({"task": task, "reward": result["reward"], "verdict": result["verdict"], "times": result.get("sizes"),
                     "messages": [{"role": "user", "content": prompt}, {"role": "assistant", "content": answer}]})
    right = sorted((row for row in rows if row["verdict"] == "ok"), key=lambda row: -row["reward"])
    print(f"{task}: {len(answers)} sampled, {len(right)} right", file=sys.stderr)
    return right[: arguments.keep]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--task", action="append", required=True)
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--keep", type=int, default=1, help="of a task's right answers [1]")
    parser.add_argument("--parallel", type=int, default=4, help="requests to the model at a time [4]")
    parser.add_argument("--temperature", type=float, default=0.8)
    parser.add_argument("--max-tokens", type=int, default=8192)
    parser.add_argument("--timeout", type=float, default=600)
    parser.add_argument("--reward", default="kevin")
    parser.add_argument("--prompt", help="instead of what the program prints")
    parser.add_argument("--program", default="warpwright")
    parser.add_argument("--out", default="-")
    arguments = parser.parse_args()
    judge = Judge()
    out = sys.stdout if arguments.out == "-" else open(arguments.out, "w", encoding="utf-8")
    with out:
        for task in arguments.task:
            for row in sample_task(arguments, judge, task):
                out.write(json.dumps(row) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
