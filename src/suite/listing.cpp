// SPDX-License-Identifier: Apache-2.0
#include "suite/listing.h"

#include "suite/load.h"

namespace warpwright::suite {

Result<std::vector<TaskRow>> task_listing() {
  std::vector<TaskRow> rows;
  for (const auto& name : embedded_task_names()) {
    WW_TRY(const Task task, load_embedded_task(name));
    TaskRow row{name, task.title, task.group.empty() ? "paper" : task.group, task.rule_set, {}};
    for (const auto& size : task.sizes) row.sizes.push_back(size.label);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace warpwright::suite
