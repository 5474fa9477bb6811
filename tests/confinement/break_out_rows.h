// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `portcullis-guard --attempt NAME` answers inside of a run, in every state of the walls.

#include <cerrno>

namespace portcullis::test {

inline constexpr int anyErrno = 0;
inline constexpr int worksHarmlessly = -1; ///< reaches only what is the command's own; without Landlock: is not covered
inline constexpr int machineDecides = -2; ///< its users, and settings of its kernel

inline constexpr int notTried = -3; ///< it would reach the test itself

/// What an attempt gets to know of the world outside.
enum class About {
    Nothing,
    ForeignFile,
    ForeignFolder,
    NewFileBesideIt,
    Gateway,
    Runner,
    SharedMemory,
    PathSocket,
    PathDatagrams,
    AbstractSocket
};

struct BreakOut {
    const char *name;
    About about;
    int inView;
    int alone; ///< Landlock without namespaces
    int without; ///< no Landlock: the filter of system calls and the user of the run are left
};

inline constexpr BreakOut breakOuts[] = {
    {"read_foreign_file", About::ForeignFile, EACCES, EACCES, worksHarmlessly},
    {"write_foreign_file", About::ForeignFile, EACCES, EACCES, worksHarmlessly},
    {"rewrite_foreign_file", About::ForeignFile, EACCES, EACCES, worksHarmlessly},
    {"truncate_foreign_file", About::ForeignFile, EACCES, EACCES, worksHarmlessly},
    {"remove_foreign_file", About::ForeignFile, EACCES, EACCES, worksHarmlessly},
    {"link_foreign_file", About::ForeignFile, EACCES, EXDEV, worksHarmlessly},
    {"rename_foreign_file", About::ForeignFile, EACCES, anyErrno, worksHarmlessly},
    {"read_through_link", About::ForeignFile, EACCES, EACCES, worksHarmlessly},
    {"read_through_proc", About::ForeignFile, EACCES, EACCES, worksHarmlessly},
    {"stat_foreign_file", About::ForeignFile, EACCES, worksHarmlessly, worksHarmlessly},
    {"chmod_foreign_file", About::ForeignFile, EACCES, worksHarmlessly, worksHarmlessly},
    {"list_root", About::Nothing, EACCES, EACCES, worksHarmlessly},
    {"read_shadow", About::Nothing, EACCES, EACCES, EACCES},
    {"watch_foreign_folder", About::ForeignFolder, EACCES, worksHarmlessly, worksHarmlessly},
    {"create_beside", About::NewFileBesideIt, EACCES, EACCES, worksHarmlessly},
    {"become_root", About::Nothing, anyErrno, EPERM, EPERM},
    {"setuid_by_chmod", About::Nothing, EPERM, EPERM, EPERM},
    {"setuid_by_fchmod", About::Nothing, EPERM, EPERM, EPERM},
    {"setuid_by_fchmodat2", About::Nothing, EPERM, EPERM, EPERM},
    {"setuid_by_open", About::Nothing, EPERM, EPERM, EPERM},
    {"setuid_by_mknod", About::Nothing, EPERM, EPERM, EPERM},
    {"setuid_by_openat2", About::Nothing, ENOSYS, ENOSYS, ENOSYS},
    {"setgid_by_chmod", About::Nothing, worksHarmlessly, EPERM, EPERM},
    {"setgid_by_fchmod", About::Nothing, worksHarmlessly, EPERM, EPERM},
    {"setgid_by_fchmodat", About::Nothing, worksHarmlessly, EPERM, EPERM},
    {"setgid_by_fchmodat2", About::Nothing, worksHarmlessly, EPERM, EPERM},
    {"setgid_by_open", About::Nothing, EPERM, EPERM, EPERM},
    {"setgid_by_temporary_file", About::Nothing, EPERM, EPERM, EPERM},
    {"setgid_by_creat", About::Nothing, EPERM, EPERM, EPERM},
    {"setgid_by_mknod", About::Nothing, EPERM, EPERM, EPERM},
    {"setgid_by_mkdir", About::Nothing, worksHarmlessly, EPERM, EPERM},
    {"plain_by_chmod", About::Nothing, worksHarmlessly, worksHarmlessly, worksHarmlessly},
    {"plain_by_open", About::Nothing, worksHarmlessly, worksHarmlessly, worksHarmlessly},
    {"plain_by_mkdir", About::Nothing, worksHarmlessly, worksHarmlessly, worksHarmlessly},
    {"leave_whiteout", About::Nothing, EPERM, EPERM, EPERM},
    {"exchange_names", About::Nothing, worksHarmlessly, worksHarmlessly, worksHarmlessly},
    {"make_device", About::Nothing, anyErrno, anyErrno, anyErrno},
    {"read_process_environment", About::Gateway, ENOENT, EACCES, worksHarmlessly},
    {"read_process_maps", About::Gateway, ENOENT, EACCES, worksHarmlessly},
    {"read_process_memory", About::Gateway, ENOENT, EACCES, machineDecides},
    {"enter_process_root", About::Gateway, ENOENT, EACCES, EACCES},
    {"signal_process", About::Gateway, ESRCH, EPERM, worksHarmlessly},
    {"trace_process", About::Gateway, ESRCH, EPERM, EPERM},
    {"steal_descriptor", About::Gateway, anyErrno, EPERM, EPERM},
    {"change_process_limits", About::Gateway, EPERM, EPERM, worksHarmlessly},
    {"change_process_priority", About::Gateway, ESRCH, EPERM, worksHarmlessly},
    {"change_process_scheduling", About::Gateway, EPERM, EPERM, worksHarmlessly},
    {"change_process_scheduling_parameters", About::Gateway, EPERM, EPERM, worksHarmlessly},
    {"change_process_scheduling_attributes", About::Gateway, EPERM, EPERM, worksHarmlessly},
    {"change_process_disk_priority", About::Gateway, EPERM, EPERM, worksHarmlessly},
    {"change_user_priority", About::Nothing, EPERM, EPERM, notTried},
    {"change_own_priority", About::Nothing, worksHarmlessly, worksHarmlessly, worksHarmlessly},
    {"change_own_scheduling", About::Nothing, worksHarmlessly, worksHarmlessly, worksHarmlessly},
    {"change_own_disk_priority", About::Nothing, worksHarmlessly, worksHarmlessly, worksHarmlessly},
    {"read_process_environment", About::Runner, ENOENT, EACCES, machineDecides},
    {"read_process_memory", About::Runner, ENOENT, EACCES, machineDecides},
    {"signal_process", About::Runner, ESRCH, EPERM, machineDecides},
    {"trace_process", About::Runner, ESRCH, EPERM, EPERM},
    {"signal_supervisor", About::Nothing, EPERM, EPERM, machineDecides},
    {"trace_supervisor", About::Nothing, EPERM, EPERM, EPERM},
    {"read_supervisor_memory", About::Nothing, EACCES, EACCES, EACCES},
    {"attach_shared_memory", About::SharedMemory, EINVAL, EPERM, worksHarmlessly},
    {"new_user_namespace", About::Nothing, EPERM, EPERM, EPERM},
    {"clone_user_namespace", About::Nothing, EPERM, EPERM, EPERM},
    {"clone_mount_namespace", About::Nothing, EPERM, EPERM, EPERM},
    {"clone3_user_namespace", About::Nothing, ENOSYS, ENOSYS, ENOSYS},
    {"mount_file_system", About::Nothing, EPERM, EPERM, EPERM},
    {"open_mount_tree", About::Nothing, EPERM, EPERM, EPERM},
    {"new_file_system", About::Nothing, EPERM, EPERM, EPERM},
    {"change_root", About::Nothing, EPERM, EPERM, EPERM},
    {"open_by_handle", About::Nothing, EPERM, EPERM, EPERM},
    {"stream_socket", About::Nothing, worksHarmlessly, worksHarmlessly, worksHarmlessly},
    {"datagram_socket", About::Nothing, worksHarmlessly, worksHarmlessly, worksHarmlessly},
    {"packet_socket", About::Nothing, EAFNOSUPPORT, EAFNOSUPPORT, EAFNOSUPPORT},
    {"wide_packet_socket", About::Nothing, EAFNOSUPPORT, EAFNOSUPPORT, EAFNOSUPPORT},
    {"unix_socket", About::Nothing, worksHarmlessly, EAFNOSUPPORT, worksHarmlessly},
    {"wide_unix_socket", About::Nothing, EAFNOSUPPORT, EAFNOSUPPORT, EAFNOSUPPORT},
    {"stream_pair", About::Nothing, worksHarmlessly, worksHarmlessly, worksHarmlessly},
    {"sequenced_pair", About::Nothing, worksHarmlessly, worksHarmlessly, worksHarmlessly},
    {"datagram_pair", About::Nothing, worksHarmlessly, EPERM, worksHarmlessly},
    {"raw_pair", About::Nothing, worksHarmlessly, EPERM, worksHarmlessly},
    {"vsock_socket", About::Nothing, EAFNOSUPPORT, EAFNOSUPPORT, EAFNOSUPPORT},
    {"alg_socket", About::Nothing, EAFNOSUPPORT, EAFNOSUPPORT, EAFNOSUPPORT},
    {"netfilter_socket", About::Nothing, EAFNOSUPPORT, EAFNOSUPPORT, EAFNOSUPPORT},
    {"host_unix_socket", About::PathSocket, EACCES, EAFNOSUPPORT, worksHarmlessly},
    {"host_datagram_socket", About::PathDatagrams, EACCES, EPERM, worksHarmlessly},
    {"host_abstract_socket", About::AbstractSocket, EPERM, EAFNOSUPPORT, worksHarmlessly},
    {"push_terminal_input", About::Nothing, EPERM, EPERM, EPERM},
    {"paste_terminal_input", About::Nothing, EPERM, EPERM, EPERM},
    {"read_kernel_log", About::Nothing, EPERM, EPERM, EPERM},
    {"load_program", About::Nothing, EPERM, EPERM, EPERM},
    {"watch_performance", About::Nothing, EPERM, EPERM, EPERM},
    {"use_keyring", About::Nothing, EPERM, EPERM, EPERM},
    {"user_fault", About::Nothing, EPERM, EPERM, EPERM},
    {"io_ring", About::Nothing, ENOSYS, ENOSYS, ENOSYS},
};

} // namespace portcullis::test
