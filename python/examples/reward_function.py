# SPDX-License-Identifier: Apache-2.0
"""Warpwright's judge as a reward function, in the forms that TRL and verl call.

TRL (GRPOTrainer, RLOOTrainer):

    from reward_function import kernel_reward
    trainer = GRPOTrainer(model=..., reward_funcs=kernel_reward, train_dataset=dataset, ...)

  The data set needs a column `task` beside `prompt`. TRL calls `reward_func(prompts=..., completions=..., task=[...], ...)`
  with lists of equal length and every other column of the data set as a keyword, `completion_ids` and `trainer_state` among
  them; a completion is a text, or a list of messages where prompts are chats. It wants a list of floats; None leaves a
  completion out.

verl (PPO, GRPO):

    custom_reward_function.path=python/examples/reward_function.py
    custom_reward_function.name=compute_score            # reward_model.reward_manager=naive
    custom_reward_function.name=compute_scores           # reward_model.reward_manager=batch

  The naive manager calls `compute_score(data_source=, solution_str=, ground_truth=, extra_info=)` once per answer, the
  batch manager `compute_scores(data_sources=, solution_strs=, ground_truths=, extra_infos=)` once per batch. The task's
  name is `extra_info["task"]`, else the ground truth. The batch form is the fast one: its answers are judged side by side.
  verl's reward loop calls `compute_score` from many threads at once, which is as fast, and may add keywords of its own.

Both run in many processes at once. WARPWRIGHT_URL and WARPWRIGHT_TOKEN name the server, WARPWRIGHT_REWARD the reward
(docs/rewards.md says what each can be gamed by).
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from warpwright_client import Refused, Unavailable, default_judge  # noqa: E402

REWARD = os.environ.get("WARPWRIGHT_REWARD", "kevin")


def text_of(completion):
    """The text of a completion: itself, or what the model said in the messages of a chat. What tools answered is not the
    model's, and must not earn it anything."""
    if isinstance(completion, str):
        return completion
    said = [message for message in completion if message.get("role", "assistant") == "assistant"]
    return "".join(_content(message.get("content")) for message in said)


def _content(content):
    """A message's text; a list has parts, of which some are text."""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if part.get("type") == "text")
    return content or ""


def judged_rewards(tasks, answers):
    """A reward per answer; None where the judge could not say, which is not the model's fault."""
    judge = default_judge()
    items = [{"task": task, "answer": answer, "reward": REWARD} for task, answer in zip(tasks, answers)]
    try:
        results = judge.judge_batch(items)
    except Unavailable:
        return [None] * len(items)
    return [float(result["reward"]) if result["status"] == 200 else None for result in results]


def kernel_reward(prompts, completions, task, **columns):
    """For TRL."""
    del prompts, columns
    return judged_rewards(task, [text_of(completion) for completion in completions])


def _task_of(ground_truth, extra_info):
    task = (extra_info or {}).get("task") or ground_truth
    if not isinstance(task, str):
        raise Refused(400, "extra_info['task'] or the ground truth names the task")
    return task


def compute_scores(data_sources, solution_strs, ground_truths, extra_infos, **more):
    """For verl's batch manager, which wants numbers: what could not be judged earns nothing."""
    del data_sources, more
    tasks = [_task_of(truth, info) for truth, info in zip(ground_truths, extra_infos)]
    return [0.0 if reward is None else reward for reward in judged_rewards(tasks, list(solution_strs))]


def compute_score(data_source, solution_str, ground_truth, extra_info=None, **more):
    """For verl's naive manager."""
    del data_source, more
    return compute_scores([None], [solution_str], [ground_truth], [extra_info])[0]
