# SPDX-License-Identifier: Apache-2.0
"""A client of `warpwright serve --judge` (docs/rewards.md): one file, the standard library alone.

    from warpwright_client import Judge
    judge = Judge()                                   # $WARPWRIGHT_URL and $WARPWRIGHT_TOKEN
    verdict = judge.judge("transpose", answer=text)   # a dict: verdict, reward, rewards, sizes, ...
    rewards = judge.rewards(["transpose"] * 8, eight_answers, reward="log_speedup")

A full queue (429), a judge that failed (503), a server that is being restarted and a connection that broke are tried
again until `patience_s` is over; then Unavailable is raised, and no reward is made up. A question that the server has
taken is on its disk, so asking again never costs a second judgement.
"""
import http.client
import json
import os
import random
import threading
import time
import urllib.parse

BATCH = 64  # items that the server takes in one request


class Refused(Exception):
    """The question itself is wrong: no use in asking again."""

    def __init__(self, status, message):
        super().__init__(f"{status}: {message}")
        self.status = status


class Unavailable(Exception):
    """No answer within the client's patience."""


class Judge:
    """Thread-safe: every request has a connection of its own."""

    def __init__(self, url=None, token=None, client=None, patience_s=3600.0, wait_s=30.0):
        self.url = url or os.environ.get("WARPWRIGHT_URL", "http://127.0.0.1:8420")
        self.token = token or os.environ.get("WARPWRIGHT_TOKEN", "")
        self.client = client or f"{os.uname().nodename}:{os.getpid()}"
        self.patience_s = patience_s
        self.wait_s = wait_s
        parts = urllib.parse.urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"no address of a server: {self.url!r}")
        self._parts = parts

    def judge(self, task, answer=None, source=None, reward="kevin", sizes=None, rule_set=None, complete=False):
        """One answer of a model, or one source: the verdict with its reward."""
        item = _item(task, answer, source, reward, sizes, rule_set, complete)
        return self._judge_all([item], raise_refused=True)[0]

    def judge_batch(self, items):
        """Dicts with the fields of an item of /v1/judge, in any number. One result per item, in order; a question that
        is wrong has {"status": 4xx, "error": ...}."""
        return self._judge_all([dict(item) for item in items])

    def rewards(self, tasks, answers, reward="kevin", **more):
        """Rewards of whole answers, in order. A question that the server refuses raises Refused."""
        items = [_item(task, answer, None, reward, more.get("sizes"), more.get("rule_set"), False)
                 for task, answer in zip(tasks, answers, strict=True)]
        return [float(_checked(result)["reward"]) for result in self._judge_all(items, raise_refused=True)]

    def metrics(self):
        """The server's figures, as Prometheus reads them: name -> value."""
        status, body, _ = self._request("GET", "/metrics", None)
        if status != 200:
            raise Refused(status, body)
        rows = (line.rsplit(" ", 1) for line in body.splitlines() if line and not line.startswith("#"))
        return {name: float(value) for name, value in rows}

    def _judge_all(self, items, raise_refused=False):
        results = [None] * len(items)
        open_items = list(range(len(items)))
        deadline = time.monotonic() + self.patience_s
        pause = _Pause()
        while open_items:
            part, later = open_items[:BATCH], open_items[BATCH:]
            again = self._ask(items, part, results, deadline)
            if again and len(again) == len(part):
                pause.sleep(deadline)  # nothing moved
            else:
                pause.reset()
            open_items = again + later
            if open_items and time.monotonic() > deadline:
                raise Unavailable(f"{len(open_items)} of {len(items)} questions have no verdict")
        if raise_refused:
            for result in results:
                _checked(result)
        return results

    def _ask(self, items, part, results, deadline):
        """Asks for these items; those that are still open come back."""
        wait_s = max(0.0, min(self.wait_s, deadline - time.monotonic()))
        body = {"items": [items[i] for i in part], "client": self.client, "wait_s": wait_s}
        try:
            status, text, _ = self._request("POST", "/v1/judge", body, timeout_s=wait_s + 60)
        except (OSError, http.client.HTTPException):
            return list(part)
        if status in (429, 500, 502, 503, 504):
            return list(part)
        if status != 200:
            raise Refused(status, text.strip())
        again = []
        for i, answer in zip(part, json.loads(text)["items"]):
            if answer["status"] in (202, 429, 503):
                again.append(i)
            else:
                results[i] = answer
        return again

    def _request(self, method, path, body, timeout_s=60.0):
        kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(self._parts.hostname, self._parts.port, timeout=timeout_s)
        try:
            headers = {"Authorization": f"Bearer {self.token}"}
            if body is not None:
                headers["Content-Type"] = "application/json"
            connection.request(method, self._parts.path.rstrip("/") + path,
                               None if body is None else json.dumps(body).encode(), headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode("utf-8", "replace"), answer.headers
        finally:
            connection.close()


class _Pause:
    """Longer from time to time, and never in step with other clients."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.next_s = 0.2

    def sleep(self, deadline):
        time.sleep(max(0.0, min(self.next_s * random.uniform(0.5, 1.0), deadline - time.monotonic())))
        self.next_s = min(self.next_s * 2, 10.0)


def _item(task, answer, source, reward, sizes, rule_set, complete):
    if (answer is None) == (source is None):
        raise ValueError("give either an answer or a source")
    item = {"task": task, "reward": reward}
    item["answer" if source is None else "source"] = answer if source is None else source
    if sizes:
        item["sizes"] = list(sizes)
    if rule_set:
        item["rule_set"] = rule_set
    if complete:
        item["complete"] = True
    return item


def _checked(result):
    if result["status"] != 200:
        raise Refused(result["status"], result.get("error", ""))
    return result


_default = threading.local()


def default_judge():
    """One per thread, made of the environment."""
    if not hasattr(_default, "judge"):
        _default.judge = Judge()
    return _default.judge
