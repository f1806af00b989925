// SPDX-License-Identifier: Apache-2.0
// A whole Slurm on this machine: munge, a controller, and nodes with GPUs that are only device
// files.
#pragma once

#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/process.h"
#include "base/text.h"
#include "fleet/bed.h"

namespace warpwright::fleet {

class SlurmCluster {
 public:
  /// Why there can be none here; empty: there can.
  static std::string missing() {
    if (std::getenv("WARPWRIGHT_SLOW_TESTS") == nullptr) return "needs WARPWRIGHT_SLOW_TESTS";
    if (::geteuid() != 0) return "only root can start Slurm's daemons";
    for (const char* program : {"slurmctld", "slurmd", "munged", "munge", "sbatch", "scontrol"}) {
      if (!find_program(program).ok()) {
        return std::string("there is no ") + program + " (scripts/setup full installs it)";
      }
    }
    return "";
  }

  /// `nodes` machines with two GPUs each.
  explicit SlurmCluster(int nodes) : nodes_(nodes) {
    ::chmod(folder_.path().c_str(), 0755);  // munge wants its socket to be reachable
    for (const char* part : {"dev", "log", "state", "spool"}) {
      EXPECT_TRUE(make_directories(folder_.path() / part).ok());
    }
    for (unsigned i = 0; i < 2; ++i) {
      const auto gpu = folder_.path() / "dev" / ("nvidia" + std::to_string(i));
      EXPECT_EQ(::mknod(gpu.c_str(), S_IFCHR | 0666, makedev(195, i)), 0);
    }
    start_munge();
    write_configuration();
    start_controller();
    for (int i = 0; i < nodes_; ++i) start_node(i);
    EXPECT_TRUE(comes_true([&] { return idle_nodes() == nodes_; }, 60)) << tool({"sinfo"});
  }

  ~SlurmCluster() {
    // Steps outlive their daemons: they end first.
    tool({"scancel", "--user=root"});
    comes_true([&] { return trimmed(tool({"squeue", "--noheader"})).empty(); }, 30);
    ::unsetenv("SLURM_CONF");
  }

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  static std::string name_of_node(int i) { return "gpu" + std::to_string(i); }

  std::string tool(std::vector<std::string> argv) {
    Command command;
    command.argv = std::move(argv);
    command.env = environment_subset({"PATH", "HOME", "USER", "SLURM_CONF"});
    command.limits.wall = std::chrono::seconds(60);
    const auto exit = run_process(command);
    if (!exit.ok()) return exit.error().message;
    return exit->out + exit->err;
  }

  void restart_controller() {
    daemons_.erase("slurmctld");
    std::this_thread::sleep_for(std::chrono::seconds(2));
    start_controller(false);
  }

  void drain(int node) {
    tool({"scontrol", "update", "NodeName=" + name_of_node(node), "State=DRAIN",
          "Reason=maintenance"});
  }

 private:
  void start_munge() {
    const auto key = folder_.path() / "munge.key";
    EXPECT_TRUE(write_file(key, std::string(128, 'k')).ok());
    ::chmod(key.c_str(), 0600);
    const auto at = [&](const char* name) { return (folder_.path() / name).string(); };
    start("munged", {"munged", "--foreground", "--force", "--key-file=" + key.string(),
                     "--socket=" + at("munge.socket"), "--pid-file=" + at("munged.pid"),
                     "--log-file=" + at("munged.log"), "--seed-file=" + at("munge.seed")});
    comes_true([&] { return std::filesystem::exists(at("munge.socket")); });
  }

  void write_configuration() {
    const std::string d = folder_.path().string(), last = std::to_string(nodes_ - 1);
    char host[256] = {};
    ::gethostname(host, sizeof host - 1);
    const int port = 20000 + static_cast<int>(::getpid() % 20000);
    const std::string nodes = "gpu[0-" + last + "]";
    const std::string text =
        "ClusterName=test\nSlurmctldHost=" + std::string(host) + "(127.0.0.1)\n" +
        "SlurmctldPort=" + std::to_string(port) +
        "\nSlurmUser=root\nSlurmdUser=root\n"
        "AuthType=auth/munge\nAuthInfo=socket=" +
        d +
        "/munge.socket\n"
        "CredType=cred/munge\n"
        "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nMpiDefault=none\n"
        "SlurmctldPidFile=" +
        d + "/slurmctld.pid\nSlurmdPidFile=" + d +
        "/slurmd.%n.pid\n"
        "SlurmdSpoolDir=" +
        d + "/spool/%n\nStateSaveLocation=" + d +
        "/state\n"
        "SlurmctldLogFile=" +
        d + "/log/ctld.log\nSlurmdLogFile=" + d +
        "/log/slurmd.%n.log\n"
        "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nSchedulerType=sched/backfill\n"
        "SlurmctldDebug=error\nSlurmdDebug=error\nGresTypes=gpu\nReturnToService=2\nSlurmdTimeout="
        "30\nKillWait=2\nMinJobAge=300\n"
        "JobRequeue=1\nAccountingStorageType=accounting_storage/none\n"
        "JobCompType=jobcomp/none\nSlurmdParameters=config_overrides\n"
        "SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,"
        "default_queue_depth=1000\n"
        "NodeName=" +
        nodes + " NodeHostname=" + host + " NodeAddr=127.0.0.1 Port=[" + std::to_string(port + 1) +
        "-" + std::to_string(port + nodes_) +
        "] CPUs=4 RealMemory=2000 Gres=gpu:2\n"
        "PartitionName=gpu Nodes=" +
        nodes + " Default=YES MaxTime=INFINITE State=UP\n";
    EXPECT_TRUE(write_file(folder_.path() / "slurm.conf", text).ok());
    EXPECT_TRUE(write_file(folder_.path() / "gres.conf",
                           "NodeName=" + nodes + " Name=gpu File=" + d + "/dev/nvidia[0-1]\n")
                    .ok());
    ::setenv("SLURM_CONF", (folder_.path() / "slurm.conf").c_str(), 1);
  }

  /// In the foreground: a daemon ends with this object, and when the test dies.
  void start(const std::string& name, std::vector<std::string> argv) {
    Command command;
    command.argv = std::move(argv);
    command.env = environment_subset({"PATH", "HOME", "USER", "SLURM_CONF"});
    auto started = ChildProcess::start(command);
    ASSERT_TRUE(started.ok()) << started.error().message;
    daemons_.insert_or_assign(name, std::make_unique<ChildProcess>(std::move(started).value()));
  }

  void start_controller(bool afresh = true) {
    std::vector<std::string> argv = {"slurmctld", "-D", "-f",
                                     (folder_.path() / "slurm.conf").string()};
    if (afresh) argv.emplace_back("-c");
    start("slurmctld", argv);
  }

  void start_node(int i) {
    start(name_of_node(i),
          {"slurmd", "-D", "-N", name_of_node(i), "-f", (folder_.path() / "slurm.conf").string()});
  }

  int idle_nodes() {
    const std::string out = tool({"sinfo", "--noheader", "--Node", "--format=%N %t"});
    int count = 0;
    for (const auto line : lines_of(out)) count += line.ends_with(" idle") ? 1 : 0;
    return count;
  }

  int nodes_;
  TemporaryDirectory folder_ = std::move(TemporaryDirectory::create("ww-slurm-")).value();
  std::map<std::string, std::unique_ptr<ChildProcess>> daemons_;  ///< by name
};

}  // namespace warpwright::fleet
