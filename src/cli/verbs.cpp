// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.h"

#include <array>

namespace warpwright::cli {

namespace {

constexpr auto kVerbs = std::to_array<VerbRow>({
#ifndef WARPWRIGHT_WORKER_ONLY
    {"run", "search for a fast kernel for a task", "warpwright run transpose --model inbox",
     add_run},
    {"resume", "go on with a run that was stopped, killed or waits for answers",
     "warpwright resume last", add_resume},
    {"ask", "print the questions a run waits with", "warpwright ask last --json", add_ask},
    {"tell", "answer a question of a run", "warpwright tell last r1.c1 answer.md", add_tell},
    {"runs", "list all runs, or how more answers pay",
     "warpwright runs\n  warpwright runs --delete transpose-1\n  warpwright runs scaling last",
     add_runs},
    {"show", "show a run, one of its trials, or a task", "warpwright show last r2.c1", add_show},
    {"export", "write a run's best kernel, or a file's, with header, test and provenance",
     "warpwright export last -o transpose_kernel --function transpose --namespace mine\n"
     "  warpwright export last --torch -o gelu_operator",
     add_export},
    {"report", "write a page of a run, a benchmark, or several runs compared",
     "warpwright report last -o report.html", add_report},
    {"campaign", "search many tasks within one budget, and tables of many runs",
     "warpwright campaign run paper --model openai:gpt-5 --budget usd=20\n"
     "  warpwright campaign runs/* --bench bench.json -o campaign.md",
     add_campaign},
    {"fleet", "who judges, what waits, how fast: the pilots of a spool",
     "warpwright fleet /shared/spool --json", add_fleet},
    {"data", "make data for training of judged answers: stats, curate, export, check",
     "warpwright data curate .warpwright/archive.db recordings -o curated.jsonl", add_data},
    {"serve", "show all runs in a browser, live", "warpwright serve", add_serve},
    {"mcp", "serve a coding agent: the Model Context Protocol on standard input and output",
     "claude mcp add warpwright -- warpwright mcp --allow .", add_mcp},
    {"tasks", "list the built-in tasks, or check one",
     "warpwright tasks\n  warpwright tasks check ./my_task", add_tasks},
    {"new", "start a task of your own, also from a PyTorch module",
     "warpwright new my_task\n  warpwright new my_task --torch module.py --backward", add_new},
    {"import", "make tasks of other suites' problems",
     "warpwright import trace flashinfer-trace -o tasks --json", add_import},
    {"prompt", "print what would be sent to the model", "warpwright prompt transpose --target a100",
     add_prompt},
    {"models", "list the services and programs that can answer", "warpwright models", add_models},
    {"strategies", "list the search strategies", "warpwright strategies", add_strategies},
    {"verifiers", "how often a model's votes on candidates agree with the judge, and their cost",
     "warpwright verifiers last\n  warpwright verifiers last --model deepseek:deepseek-flash "
     "--json",
     add_verifiers},
    {"devices", "list the described devices", "warpwright devices", add_devices},
    {"eval", "judge one kernel: verdict, errors, times",
     "warpwright eval transpose mine.cu\n  warpwright eval transpose mine.cu --watch\n"
     "  warpwright eval transpose - < mine.cu",
     add_eval},
    {"judge-solution", "judge a CUDA solution in the FlashInfer Trace form",
     "warpwright judge-solution solution.json --definition problem", add_judge_solution},
    {"explain", "what the SIMT machine sees in a kernel: reports, counts by line, estimate",
     "warpwright explain transpose mine.cu", add_explain},
    {"simt", "run a PTX file on the SIMT machine",
     "warpwright simt add.ptx --grid 4 --block 256 --arg x=buf:f32:1024:iota --arg "
     "y=buf:f32:1024 --arg i32:1024 --print y:4",
     add_simt},
    {"flops", "count FLOPs and bytes of a whole CUDA program, without a GPU",
     "warpwright flops heat.cu --run \"4096 10\" --json", add_flops},
    {"compare", "time two kernels in turns: faster, slower or the same",
     "warpwright compare transpose mine.cu baseline", add_compare},
    {"tune", "find the best values of a kernel's declared parameters, without a model",
     "warpwright tune matmul mine.cu --budget 64 -o tuned.cu", add_tune},
    {"merge", "one source that dispatches by size between proven kernels, judged as a whole",
     "warpwright merge transpose-1 transpose-2 mine.cu -o merged.cu", add_merge},
    {"bench", "time the suite's baselines, kernels and comparators",
     "warpwright bench --kernels my_kernels --html bench.html", add_bench},
    {"pack", "a folder of kernels as CUDA and PyTorch folders with a page to choose by",
     "warpwright pack kernels --bench bench.json -o pack", add_pack},
    {"courier", "perform one model request (used by run)", "warpwright courier", add_courier, true},
    {"doctor", "what is installed, what is missing, how to get it", "warpwright doctor",
     add_doctor},
    {"completions", "print completions for a shell", "warpwright completions bash",
     add_completions},
    {"man", "print the manual page", "warpwright man | man -l -", add_man},
#endif
    {"sass", "machine code: show it, check it, learn latencies, tune its schedule on a GPU",
     "warpwright sass check kernel.cubin\n  warpwright sass tune gemm_f16 mine.cu -o tuned",
     add_sass},
    {"port", "carry a CUDA program to HIP or back, and compile it for AMD devices",
     "warpwright port saxpy.cu --to hip -o saxpy_hip --targets gfx90a,gfx1100 --json\n"
     "  warpwright port saxpy.ptx --to hip -o saxpy_hip --targets gfx1100 --host saxpy.cu --verify "
     "cpu",
     add_port},
    {"worker", "judge the trial in a job directory", "warpwright worker JOBDIR", add_worker},
    {"pilot", "judge jobs of a spool with this machine's GPU (used by --worker slurm)",
     "warpwright pilot /shared/spool --idle 10m", add_pilot},
});

}  // namespace

std::span<const VerbRow> verbs() { return kVerbs; }

}  // namespace warpwright::cli
