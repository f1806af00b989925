// SPDX-License-Identifier: Apache-2.0
// ask and tell: the search by hand, by another program, across an air gap.
#include <unistd.h>

#include <algorithm>

#include <CLI/CLI.hpp>

#include "base/files.h"
#include "cli/exit_codes.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "core/json_reader.h"

namespace warpwright::cli {

namespace {

struct InboxFlags {
  std::string archive;
  std::string run;
  std::vector<std::string> words;
  std::string folder;
  std::string model;
  bool json = false;
};

const char* role_name(int role) {
  switch (static_cast<llm::Role>(role)) {
    case llm::Role::system:
      return "system";
    case llm::Role::user:
      return "user";
    case llm::Role::assistant:
      return "assistant";
  }
  return "user";
}

/// The whole dialogue as one text, for a chat window or a pipe.
std::string as_text(const store::PromptRecord& prompt) {
  std::string text;
  for (const auto& message : prompt.messages) {
    if (prompt.messages.size() > 1) text += std::string("### ") + role_name(message.role) + "\n\n";
    text += message.text;
    if (!text.ends_with("\n")) text += "\n";
    if (&message != &prompt.messages.back()) text += "\n";
  }
  return text;
}

nlohmann::json as_json(const store::RunRecord& run, const store::PromptRecord& prompt) {
  nlohmann::json messages = nlohmann::json::array();
  for (const auto& message : prompt.messages) {
    messages.push_back({{"role", role_name(message.role)}, {"content", message.text}});
  }
  return {{"run", run.id},        {"id", prompt.trial},
          {"task", run.task},     {"round", prompt.round},
          {"slot", prompt.slot},  {"repair", prompt.repair},
          {"kind", prompt.kind},  {"parent", prompt.parent},
          {"messages", messages}, {"prompt", as_text(prompt)}};
}

Status write_prompts(const InboxFlags& flags, const std::vector<store::PromptRecord>& pending) {
  WW_CHECK(make_directories(flags.folder));
  for (const auto& prompt : pending) {
    const auto file = std::filesystem::path(flags.folder) / (prompt.trial + ".prompt.md");
    WW_CHECK(write_file(file, as_text(prompt)));
    std::printf("%s\n", file.c_str());
  }
  return {};
}

Result<int> ask(const InboxFlags& flags) {
  const SystemClock clock;
  WW_TRY(const auto archive, existing_archive(flags.archive, clock));
  WW_TRY(const auto run, archive->find_run(flags.run));
  WW_TRY(const auto pending, archive->pending(run.id));
  if (flags.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& prompt : pending) list.push_back(as_json(run, prompt));
    std::printf("%s\n", dump_json(list, 1).c_str());
  } else if (!flags.folder.empty()) {
    WW_CHECK(write_prompts(flags, pending));
  } else {
    for (const auto& prompt : pending) {
      std::printf("==== question %s of run %s (%s) ====\n%s\n", prompt.trial.c_str(),
                  run.id.c_str(), prompt.kind.c_str(), as_text(prompt).c_str());
    }
  }
  if (pending.empty()) {
    std::fprintf(stderr, "Run %s has no open question (%s). Go on with: warpwright resume %s\n",
                 run.id.c_str(), std::string(name_of(run.status)).c_str(), run.id.c_str());
    return static_cast<int>(kOk);
  }
  std::fprintf(stderr, "%zu open question(s). Answer with: warpwright tell %s ID FILE\n",
               pending.size(), run.id.c_str());
  return static_cast<int>(kWaiting);
}

Result<int> tell(const InboxFlags& flags) {
  if (flags.words.empty() || flags.words.size() > 2) {
    return Error{
        "tell takes RUN ID FILE, or RUN FILE when one question is open ('-' = standard input)"};
  }
  const SystemClock clock;
  WW_TRY(const auto archive, existing_archive(flags.archive, clock));
  WW_TRY(const auto run, archive->find_run(flags.run));
  WW_TRY(const auto pending, archive->pending(run.id));
  std::string trial = flags.words.size() == 2 ? flags.words[0] : "";
  if (trial.empty()) {
    if (pending.size() != 1) {
      return Error{"run '" + run.id + "' has " + std::to_string(pending.size()) +
                   " open questions; name one: warpwright tell " + run.id + " ID FILE"};
    }
    trial = pending[0].trial;
  }
  const std::string& file = flags.words.back();
  WW_TRY(const std::string text, file == "-" ? read_all(STDIN_FILENO) : read_file(file));
  WW_CHECK(tell_answer(*archive, run.id, trial, text, flags.model));
  const auto left = std::count_if(pending.begin(), pending.end(),
                                  [&](const auto& question) { return question.trial != trial; });
  std::printf("Stored the answer to %s of run %s. %s\n", trial.c_str(), run.id.c_str(),
              left == 0 ? ("Go on with: warpwright resume " + run.id).c_str()
                        : (std::to_string(left) + " question(s) still open.").c_str());
  return static_cast<int>(kOk);
}

}  // namespace

void add_ask(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<InboxFlags>();
  verb.add_option("run", flags->run, "a run's id, its beginning, or last")->required();
  verb.add_option("-o,--out", flags->folder, "write each prompt to FOLDER/ID.prompt.md instead");
  verb.add_flag("--json", flags->json, "ids, prompts and context as JSON");
  add_archive_option(verb, flags->archive);
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = ask(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

void add_tell(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<InboxFlags>();
  verb.add_option("run", flags->run, "a run's id, its beginning, or last")->required();
  verb.add_option("answer", flags->words, "[ID] FILE: the question and the file with its answer")
      ->required();
  verb.add_option("--by", flags->model, "who answered, for the record");
  add_archive_option(verb, flags->archive);
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = tell(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
