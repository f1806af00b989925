// SPDX-License-Identifier: Apache-2.0
// The table of tools. A new one is a row here, a function in tool_*.cpp and a test.
#include <array>

#include "mcp/schema.h"
#include "mcp/tool.h"

namespace warpwright::mcp {

namespace {

constexpr std::int64_t kPathBytes = 4096;
constexpr std::int64_t kNameBytes = 200;
constexpr auto kSourceBytes = static_cast<std::int64_t>(kMaxSourceBytes);

// Fields that several rows share.

Field task() {
  return need("task",
              text("a built-in task's name (list_tasks) or the path of a task folder", kPathBytes));
}
Field run() { return need("run", text("a run's id, its beginning, or last", kNameBytes)); }
Field trial() {
  return may("trial", text("a trial of the run; its best unless given", kNameBytes));
}
Field job() { return need("job", text("the name that a tool returned", kNameBytes)); }
Field complete() { return may("complete", flag("everything instead of the short form")); }
Field wait() {
  return may("wait_s", number("seconds to wait for the answer before a job's name is returned "
                              "instead; 25 unless given",
                              0, 600));
}
Field source() {
  return may("source", text("the CUDA source with extern \"C\" void solve(...)", kSourceBytes));
}
Field file() {
  return may("file", text("instead of source: a path below a folder that the server may touch",
                          kPathBytes));
}
Field sizes() {
  return may("sizes",
             list(text("", kNameBytes), "labels of the sizes to time; all unless given", 32));
}

// What answers are made of.

Field needs_text(const char* name) { return need(name, text()); }
Field has_text(const char* name) { return may(name, text()); }
Field has_number(const char* name) { return may(name, number()); }
Field has_count(const char* name) { return may(name, integer()); }

/// At most three things to fix.
Field things(const char* name) {
  return may(
      name,
      list(closed({needs_text("kind"), need("line", integer()), needs_text("message")}), "", 3));
}
Field state() { return need("state", word("", {"done", "running", "open"})); }

Json floors() {
  return list(closed({needs_text("size"), need("floor_us", number()), need("memory_us", number()),
                      need("compute_us", number()), needs_text("bound_by")}));
}

/// An evaluation in short, with what a tool says of each size, and whatever else it says.
Json evaluation_of(const Json& sizes, const std::vector<Field>& more) {
  std::vector<Field> fields = {
      has_text("job"),         has_text("verdict"),        has_text("stage"),
      may("valid", flag()),    has_text("feedback"),       things("fix"),
      may("sizes", sizes),     may("estimated", flag()),   has_text("device"),
      has_number("score_us"),  has_number("speedup"),      has_number("roofline_share"),
      has_number("sol_score"), may("evaluation", open({}))};
  fields.insert(fields.end(), more.begin(), more.end());
  return closed(fields);
}

Json evaluation(const std::vector<Field>& more) {
  return evaluation_of(list(closed({needs_text("size"), need("us", number()),
                                    has_number("baseline_us"), has_number("floor_us")})),
                       more);
}

Json run_row(std::vector<Field> more) {
  std::vector<Field> fields = {
      needs_text("run"),       needs_text("task"),     needs_text("status"), has_text("strategy"),
      has_text("model"),       has_text("device"),     has_text("ending"),   has_text("best_trial"),
      has_count("created_ms"), has_count("elapsed_ms")};
  fields.insert(fields.end(), more.begin(), more.end());
  return closed(fields);
}

constexpr auto kTools = std::to_array<Tool>({
    {"list_tasks", "List tasks",
     "The built-in tasks: computations with sizes, rules and a reference, for which kernels can be "
     "judged.",
     [] { return closed({}); },
     [] {
       return closed(
           {need("tasks", list(closed({needs_text("name"), needs_text("title"), needs_text("group"),
                                       needs_text("rule_set"), need("sizes", list(text()))})))});
     },
     list_tasks},
    {"show_task", "Show a task",
     "What a task computes, the function to write, its rules, and the least time that the hardware "
     "allows at each size. With complete: the baseline's source, too.",
     [] {
       return closed({task(), complete()});
     },
     [] {
       return closed({needs_text("name"), needs_text("title"), needs_text("description"),
                      needs_text("signature"), needs_text("rule_set"), needs_text("device"),
                      need("sizes", floors()), has_text("baseline"), has_text("question")});
     },
     show_task},
    {"make_task", "Make a task",
     "A new task folder below a folder that the server may touch. Without texts it is an example "
     "that works as it is (a scaled sum of two arrays), to be read and changed. With a PyTorch "
     "module the task is what the module computes, or its gradients. Never overwrites.",
     [] {
       return closed(
           {need("name", text("letters, digits and underscores", 80)),
            may("folder", text("where; the first allowed folder unless given", kPathBytes)),
            may("task_toml", text("task.toml: sizes, arguments, rules; the resource "
                                  "warpwright://docs/tasks explains it",
                                  kSourceBytes)),
            may("baseline", text("baseline.cu: a simple right kernel", kSourceBytes)),
            may("reference_cu",
                text("reference.cu: expected values in float64, as kernels", kSourceBytes)),
            may("slow", text("slow.cu: a slower kernel, for timing only", kSourceBytes)),
            may("torch", text("instead of the texts above: a Python file with a PyTorch module "
                              "(class Model, get_inputs, get_init_inputs); the resource "
                              "warpwright://docs/torch explains it",
                              kSourceBytes)),
            may("backward", flag("with torch: the task is the module's gradients")),
            may("shapes", word("with torch: whether kernels work at other shapes, too; general "
                               "unless given",
                               {"general", "fixed"}))});
     },
     [] {
       return closed({needs_text("task"), needs_text("name"), needs_text("signature"),
                      need("files", list(text()))});
     },
     make_task, Effect::adds},
    {"judge_kernel", "Judge a kernel",
     "Compiles a CUDA source in a sandbox, proves it on many inputs and sizes, times it and holds "
     "it against the baseline. Short: the verdict and at most three things to fix.",
     [] {
       return closed(
           {task(), source(), file(), sizes(),
            may("rule_set",
                word("how many kernel functions: strict is one; the task's unless given",
                     {"strict", "free"})),
            may("baseline", flag("time the baseline, too, for the speed-up; true unless given")),
            complete(), wait()});
     },
     [] { return evaluation({state()}); }, judge_kernel, Effect::reads, true},
    {"explain_kernel", "Explain a kernel",
     "What a simulated GPU sees in a kernel: races, accesses out of bounds, wasted bytes, bank "
     "conflicts and divergence by source line, and an estimate of the time.",
     [] {
       return closed(
           {task(), source(), file(),
            may("size",
                text("label of the size to run; the largest that fits unless given", kNameBytes)),
            may("device", text("described device of the estimate (list_devices)", 80)), complete(),
            wait()});
     },
     [] {
       return closed(
           {state(), has_text("job"), has_text("verdict"), may("clean", flag()), things("faults"),
            things("fix"),
            may("lines", list(closed({need("line", integer()), has_number("warp_instructions"),
                                      has_number("bytes"), has_number("wasted_bytes"),
                                      has_number("bank_conflict_factor"),
                                      has_number("divergent_share"), has_number("atomics")}),
                              "", 8)),
            has_text("checked_size"), has_text("counted_size"), has_number("estimate_us"),
            has_text("device"), may("explanation", open({}))});
     },
     explain_kernel, Effect::reads, true},
    {"compare_kernels", "Compare two kernels",
     "Times two kernels of one task in turns: is the first faster, slower or the same, and how "
     "sure is that. Either may be the word baseline.",
     [] {
       return closed(
           {task(), may("first", text("CUDA source, or the word baseline", kSourceBytes)),
            may("first_file", text("instead of first: a path", kPathBytes)),
            may("second", text("what the first is compared with, likewise", kSourceBytes)),
            may("second_file", text("instead of second: a path", kPathBytes)), sizes(), complete(),
            wait()});
     },
     [] {
       return evaluation_of(
           list(open({needs_text("size")})),
           {state(), may("failed", word("", {"first", "second"})),
            may("order", word("", {"same", "faster", "slower"})), has_number("ratio"),
            has_number("ratio_low"), has_number("ratio_high")});
     },
     compare_kernels, Effect::reads, true},
    {"tune_kernel", "Tune a kernel",
     "Finds the best values of parameters that a source declares, as in '#define TILE 16  // tune: "
     "TILE = 8, 16, 32', by judging configurations within a budget. Returns the best one as a "
     "source; the resource warpwright://docs/search explains the comments.",
     [] {
       return closed({task(), source(), file(), sizes(),
                      need("evaluations", integer("most judgements; they count against the "
                                                  "server's own limit",
                                                  2, 1000)),
                      complete(), wait()});
     },
     [] {
       return evaluation({state(), may("changed", flag()), has_number("gain"),
                          has_text("given_verdict"), has_text("given_values"),
                          has_text("best_values"), has_count("configurations"), has_count("tried"),
                          has_count("evaluations"), has_text("source")});
     },
     tune_kernel, Effect::reads, true},
    {"wait_for_job", "Wait for a job",
     "The answer of a tool that was still at work when it returned a job's name.",
     [] {
       return closed({job(), complete(), wait()});
     },
     [] {
       return open({state(), has_text("job")});
     },
     wait_for_job, Effect::reads, true},
    {"cancel_job", "Cancel a job", "Ends a job that is under way.", [] { return closed({job()}); },
     [] {
       return closed({needs_text("job"), need("state", word("", {"done", "cancelled"}))});
     },
     cancel_job, Effect::ends},
    {"list_devices", "List devices",
     "The described GPUs with the figures a kernel writer needs, and which one kernels are judged "
     "for here.",
     [] { return closed({}); },
     [] {
       return closed({needs_text("target"),
                      need("devices", list(open({needs_text("key"), needs_text("name")})))});
     },
     list_devices},
    {"show_device", "Show a device",
     "One GPU's figures and, with a task, the least time that it allows at each size.",
     [] {
       return closed({may("device", text("key of a device (list_devices); the one kernels are "
                                         "judged for unless given",
                                         80)),
                      may("task", task().schema)});
     },
     [] {
       return closed({need("device", open({needs_text("name")})), may("floors", floors())});
     },
     show_device},
    {"start_search", "Start a search",
     "A search for a fast kernel within a budget. With model server the server's own model "
     "proposes kernels; with model inbox you do: read_question and answer_question.",
     [] {
       return closed(
           {task(),
            may("model",
                word("who proposes kernels: the server's model, or you", {"server", "inbox"})),
            may("strategy", text("name of a strategy: fsr, serial, tree or evolve", 40)),
            may("candidates", integer("per round", 1, 64)), may("depth", integer("rounds", 1, 64)),
            need("budget",
                 closed({need("evaluations", integer("most kernels to judge", 1, 100'000)),
                         may("wall_s", number("most seconds", 1, 1e6)),
                         may("tokens", integer("most tokens", 1, 1'000'000'000)),
                         may("usd", number("most US dollars", 0, 1e6))},
                        "what it may use up; the server's own limits hold besides"))});
     },
     [] { return closed({needs_text("run")}); }, start_search, Effect::spends, true},
    {"follow_search", "Follow a search",
     "Where a search stands: rounds, verdicts, best kernel, what was spent, open questions. Waits "
     "until it ends, asks something or the time is over.",
     [] {
       return closed({run(), wait()});
     },
     [] {
       return closed({needs_text("run"), needs_text("status"), need("alive", flag()),
                      has_text("task"), has_text("ending"), has_text("best_trial"),
                      may("questions", list(text())), has_count("round"), has_count("finished"),
                      has_count("valid"), has_count("asking"), has_count("judging"),
                      has_count("evaluations"), has_count("tokens"), has_number("elapsed_s"),
                      has_number("usd"), has_number("best_us"), has_number("best_speedup"),
                      has_text("error")});
     },
     follow_search, Effect::reads, true},
    {"stop_search", "Stop a search", "Ends a search; what it found is kept.",
     [] { return closed({run()}); }, [] { return closed({needs_text("run")}); }, stop_search,
     Effect::ends},
    {"read_question", "Read a question",
     "An open question of a search with model inbox: the prompt to answer with a kernel.",
     [] {
       return closed(
           {run(), may("question", text("its name; the first open one unless given", kNameBytes))});
     },
     [] {
       return closed({needs_text("run"), needs_text("question"), needs_text("prompt")});
     },
     read_question},
    {"answer_question", "Answer a question",
     "The answer to an open question: a text with the whole source in one ```cuda block. It is "
     "judged, and the search goes on.",
     [] {
       return closed({run(), need("question", text("its name", kNameBytes)),
                      need("answer", text("what a model would say", kSourceBytes))});
     },
     [] {
       return closed({needs_text("run"), needs_text("question")});
     },
     answer_question, Effect::adds},
    {"list_runs", "List runs", "The searches in the archive, the newest first.",
     [] { return closed({may("limit", integer("most runs; 20 unless given", 1, 1000))}); },
     [] {
       return closed({need("runs", list(run_row({}))), need("total", integer())});
     },
     list_runs},
    {"show_run", "Show a run", "One search and its trials with their verdicts.",
     [] { return closed({run()}); },
     [] {
       return run_row({need(
           "trials",
           list(closed({needs_text("trial"), needs_text("kind"), needs_text("state"),
                        has_text("verdict"), has_number("score_us"), has_number("speedup")})))});
     },
     show_run},
    {"fetch_kernel", "Fetch a kernel",
     "The source of a run's best kernel, or of another trial, with its verdict and times.",
     [] {
       return closed({run(), trial(), complete()});
     },
     [] {
       return evaluation({state(), needs_text("run"), needs_text("trial"), needs_text("source")});
     },
     fetch_kernel},
    {"export_kernel", "Export a kernel",
     "A valid kernel with header, baseline, host test and provenance: written to a new folder "
     "below one that the server may touch, or returned.",
     [] {
       return closed(
           {run(), trial(),
            may("folder", text("a new folder; without it the texts are returned", kPathBytes))});
     },
     [] {
       return closed({has_text("folder"),
                      need("files", list(closed({needs_text("name"), need("bytes", integer()),
                                                 has_text("text")})))});
     },
     export_kernel, Effect::adds},
});

}  // namespace

std::span<const Tool> tools() { return kTools; }

}  // namespace warpwright::mcp
