/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The metrics of all commands: one table, read by the renderers, by the manual page (nfsrdma
 * explain --scd) and by the tests of alert rules and dashboard.
 *
 *	METRIC(ID, name, type, unit, scope, labels, source, help)
 *
 * Names follow Prometheus' naming practice, and where node_exporter's collector mountstats has the
 * same number for TCP, the end of its name: node_mountstats_nfs_transport_sends_total is here
 * nfsrdma_mount_transport_sends_total. Counters end in _total; OpenMetrics drops that in TYPE and
 * HELP.
 * @unit: the OpenMetrics unit, which the name must end with; or NULL. @labels: besides those of the
 * scope.
 * @help: without a full stop; @source is appended. No quotes and no backslashes. */
/* clang-format off */

/* --- the report --- */
METRIC(BUILD_INFO, "nfsrdma_build_info", GAUGE, NULL, REPORT, "version", "",
	"The version of nfsrdma; always 1")
METRIC(REPORT_INFO, "nfsrdma_report_info", GAUGE, NULL, REPORT, "port, file, transport, nfs_version", "",
	"What the command tested; always 1")
METRIC(LAST_RUN, "nfsrdma_last_run_timestamp_seconds", GAUGE, "seconds", REPORT, "", "",
	"Start of the last run, Unix time")
METRIC(DURATION, "nfsrdma_last_run_duration_seconds", GAUGE, "seconds", REPORT, "", "",
	"Duration of the last run")
METRIC(VERDICT, "nfsrdma_verdict", GAUGE, NULL, REPORT, "nfsrdma_verdict", "",
	"The verdict: 1 for the present one of pass, warn, fail and unknown, 0 for the others")
METRIC(FINDING, "nfsrdma_finding", GAUGE, NULL, REPORT, "id, target, source, pool, guest, disk, nfsrdma_finding", "",
	"The status of each finding: 1 for the present one of pass, warn, fail, skip and unknown, 0 for the others")
METRIC(FINDING_INFO, "nfsrdma_finding_info", GAUGE, NULL, REPORT, "id, target, source, pool, guest, disk, reason, consequence", "",
	"The reason of a finding that is not good, as 'nfsrdma explain ID/REASON' takes it, and what it does to users; always 1")

/* --- mounts: mounts, check, status, doctor, watch --- */
METRIC(MOUNTS, "nfsrdma_mounts", GAUGE, NULL, REPORT, "", "mountinfo",
	"NFS mounts of this host, or of the server that is checked")
METRIC(MOUNTS_OMITTED, "nfsrdma_mounts_omitted", GAUGE, NULL, REPORT, "", "mountinfo",
	"NFS mounts without metrics of their own, because there are more than 250")
METRIC(MOUNT_INFO, "nfsrdma_mount_info", GAUGE, NULL, COMMAND,
	"export, mountaddr, mountpoint, nfs_version, protocol, requested, requested_by", "mountinfo and mountstats",
	"An NFS mount with its actual (protocol) and requested transport; always 1")
METRIC(MOUNT_RDMA, "nfsrdma_mount_rdma", GAUGE, NULL, COMMAND, "export, mountaddr, mountpoint", "mountinfo and mountstats",
	"1 if the mount is over RDMA; 0 if it is over another transport, if some of its connections are, or if RDMA is not proven; absent if its transport is unknown")
METRIC(MOUNT_RDMA_REQUESTED, "nfsrdma_mount_rdma_requested", GAUGE, NULL, COMMAND, "export, mountaddr, mountpoint", "",
	"1 if RDMA is requested for the mount, 0 if not; absent if that is unknown")
METRIC(MOUNT_AGE, "nfsrdma_mount_age_seconds", GAUGE, "seconds", COMMAND, "export, mountaddr, mountpoint", "mountstats age",
	"Time since the mount")
METRIC(MOUNT_ANSWERS, "nfsrdma_mount_answers", GAUGE, NULL, COMMAND, "export, mountaddr, mountpoint", "statfs(2), by nfsrdma mounts only",
	"1 if the mount answers, 0 if its server is silent")
METRIC(MOUNT_ANSWER, "nfsrdma_mount_answer_seconds", GAUGE, "seconds", COMMAND, "export, mountaddr, mountpoint", "statfs(2), by nfsrdma mounts only",
	"Time that the mount took to answer")

/* --- mountstats of mounts over RDMA: sums of the connections of a mount --- */
METRIC(MOUNT_CONNECTIONS, "nfsrdma_mount_connections", GAUGE, NULL, COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats, lines xprt: rdma",
	"Connections over RDMA")
METRIC(XPRT_BIND, "nfsrdma_mount_transport_bind_total", COUNTER, NULL, COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats bind_count",
	"rpcbind queries; RDMA makes none")
METRIC(XPRT_CONNECT, "nfsrdma_mount_transport_connect_total", COUNTER, NULL, COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats connect_count",
	"Connections made")
METRIC(XPRT_CONNECT_TIME, "nfsrdma_mount_transport_connect_time_seconds_total", COUNTER, "seconds", COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats connect_time",
	"Time spent connecting; absent before Linux 5.0, which counted jiffies")
METRIC(XPRT_IDLE, "nfsrdma_mount_transport_idle_time_seconds", GAUGE, "seconds", COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats idle_time",
	"Time since the last use, of several connections the shortest; 0 if not connected")
METRIC(XPRT_SENDS, "nfsrdma_mount_transport_sends_total", COUNTER, NULL, COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats sends",
	"Calls sent")
METRIC(XPRT_RECVS, "nfsrdma_mount_transport_receives_total", COUNTER, NULL, COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats recvs",
	"Replies received")
METRIC(XPRT_BAD_XIDS, "nfsrdma_mount_transport_bad_transaction_ids_total", COUNTER, NULL, COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats bad_xids",
	"Replies to unknown calls")
METRIC(XPRT_ACTIVE, "nfsrdma_mount_transport_active_requests_total", COUNTER, NULL, COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats req_u",
	"Calls in flight, summed at each call")
METRIC(XPRT_BACKLOG, "nfsrdma_mount_transport_backlog_queue_total", COUNTER, NULL, COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats bklog_u",
	"Calls in the backlog, summed at each call")
METRIC(XPRT_READ_CHUNKS, "nfsrdma_mount_transport_read_chunks_total", COUNTER, NULL, COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats read_chunk_count",
	"Segments offered for the server's RDMA Read")
METRIC(XPRT_WRITE_CHUNKS, "nfsrdma_mount_transport_write_chunks_total", COUNTER, NULL, COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats write_chunk_count",
	"Segments offered for the server's RDMA Write of data")
METRIC(XPRT_REPLY_CHUNKS, "nfsrdma_mount_transport_reply_chunks_total", COUNTER, NULL, COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats reply_chunk_count",
	"Segments offered for long replies")
METRIC(XPRT_REQUEST_BYTES, "nfsrdma_mount_transport_rdma_request_bytes_total", COUNTER, "bytes", COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats total_rdma_request",
	"Bytes offered for RDMA Write")
METRIC(XPRT_REPLY_BYTES, "nfsrdma_mount_transport_rdma_reply_bytes_total", COUNTER, "bytes", COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats total_rdma_reply",
	"Bytes that the server wrote there")
METRIC(XPRT_PULLUP, "nfsrdma_mount_transport_pullup_copy_bytes_total", COUNTER, "bytes", COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats pullup_copy_count",
	"Bytes copied for inline sends")
METRIC(XPRT_FIXUP, "nfsrdma_mount_transport_fixup_copy_bytes_total", COUNTER, "bytes", COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats fixup_copy_count",
	"Bytes copied out of inline replies")
METRIC(XPRT_HARDWAY, "nfsrdma_mount_transport_hardway_register_bytes_total", COUNTER, "bytes", COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats hardway_register_count",
	"Bytes of buffers that were reallocated")
METRIC(XPRT_FAILED_MARSHALS, "nfsrdma_mount_transport_failed_marshals_total", COUNTER, NULL, COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats failed_marshal_count",
	"Calls that could not be sent, or waited for memory regions")
METRIC(XPRT_BAD_REPLIES, "nfsrdma_mount_transport_bad_replies_total", COUNTER, NULL, COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats bad_reply_count",
	"Malformed replies")
METRIC(XPRT_NOMSG_CALLS, "nfsrdma_mount_transport_nomsg_calls_total", COUNTER, NULL, COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats nomsg_call_count",
	"Long calls that the server reads by RDMA")
METRIC(XPRT_MRS_RECYCLED, "nfsrdma_mount_transport_mrs_recycled_total", COUNTER, NULL, COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats mrs_recycled",
	"Memory regions recycled after an error")
METRIC(XPRT_MRS_ORPHANED, "nfsrdma_mount_transport_mrs_orphaned_total", COUNTER, NULL, COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats mrs_orphaned",
	"Memory regions orphaned")
METRIC(XPRT_MRS_ALLOCATED, "nfsrdma_mount_transport_mrs_allocated_total", COUNTER, NULL, COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats mrs_allocated",
	"Memory regions allocated")
METRIC(XPRT_LOCAL_INV, "nfsrdma_mount_transport_local_invalidations_total", COUNTER, NULL, COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats local_inv_needed",
	"Replies whose regions were invalidated locally")
METRIC(XPRT_EMPTY_SENDCTX, "nfsrdma_mount_transport_empty_sendctx_queue_total", COUNTER, NULL, COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats empty_sendctx_q",
	"Calls that waited for the send queue")
METRIC(XPRT_REPLY_WAITS, "nfsrdma_mount_transport_reply_waits_for_send_total", COUNTER, NULL, COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats reply_waits_for_send",
	"Replies that arrived before their send completed")
METRIC(MOUNT_READS, "nfsrdma_mount_reads_total", COUNTER, NULL, COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats READ and READ_PLUS",
	"Completed READs")
METRIC(MOUNT_SHORT_READS, "nfsrdma_mount_short_reads_total", COUNTER, NULL, COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats events",
	"READs shorter than requested, but not at the end of the file")
METRIC(MOUNT_READ_RECEIVED, "nfsrdma_mount_read_received_bytes_total", COUNTER, "bytes", COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats READ and READ_PLUS",
	"Bytes of READ replies, including headers")
METRIC(MOUNT_READ_BYTES, "nfsrdma_mount_read_bytes_total", COUNTER, "bytes", COMMAND, "export, mountaddr, mountpoint, protocol", "mountstats bytes",
	"File data that NFS took from READ replies")
METRIC(OPERATION_CALLS, "nfsrdma_mount_operations_total", COUNTER, NULL, COMMAND, "export, mountaddr, mountpoint, operation, protocol", "mountstats per-op operations",
	"Completed calls of an operation")
METRIC(OPERATION_ERRORS, "nfsrdma_mount_operation_errors_total", COUNTER, NULL, COMMAND, "export, mountaddr, mountpoint, operation, protocol", "mountstats per-op errors",
	"Calls that ended with an error")
METRIC(OPERATION_RETRANSMISSIONS, "nfsrdma_mount_operation_retransmissions_total", COUNTER, NULL, COMMAND, "export, mountaddr, mountpoint, operation, protocol", "mountstats per-op transmissions",
	"Calls that were sent again")
METRIC(OPERATION_QUEUE, "nfsrdma_mount_operation_queue_seconds_total", COUNTER, "seconds", COMMAND, "export, mountaddr, mountpoint, operation, protocol", "mountstats per-op queue time",
	"Time of all calls before they were sent")
METRIC(OPERATION_RTT, "nfsrdma_mount_operation_rtt_seconds_total", COUNTER, "seconds", COMMAND, "export, mountaddr, mountpoint, operation, protocol", "mountstats per-op RTT",
	"Time of all calls from the transmission to the reply")
METRIC(OPERATION_EXECUTE, "nfsrdma_mount_operation_execution_seconds_total", COUNTER, "seconds", COMMAND, "export, mountaddr, mountpoint, operation, protocol", "mountstats per-op execution time",
	"Time of all calls, with the queue and what NFS did")

/* --- probe and bench --- */
METRIC(PROBE_NULL, "nfsrdma_probe_null_call_seconds", GAUGE, "seconds", REPORT, "", "nfsrdma probe",
	"Shortest time of a NULL call over RDMA")
METRIC(BENCH_THROUGHPUT, "nfsrdma_bench_throughput_bytes_per_second", GAUGE, NULL, REPORT, "case, protocol", "nfsrdma bench",
	"Median throughput of READs")
METRIC(BENCH_RATE, "nfsrdma_bench_operations_per_second", GAUGE, NULL, REPORT, "case, protocol", "nfsrdma bench",
	"Median rate of calls")
METRIC(BENCH_LATENCY, "nfsrdma_bench_latency_seconds", GAUGE, "seconds", REPORT, "case, protocol, quantile", "nfsrdma bench",
	"Time from a call to its reply that this part of the calls did not exceed")
METRIC(BENCH_RATIO, "nfsrdma_bench_ratio_to_tcp", GAUGE, NULL, REPORT, "case", "nfsrdma bench",
	"Median ratio of the rates over RDMA and TCP")

/* --- the watcher --- */
METRIC(WATCH_UP, "nfsrdma_watch_up", GAUGE, NULL, HOST, "", "",
	"1 while the watcher runs, 0 after it ended and with --once")
METRIC(WATCH_LAST_CHECK, "nfsrdma_watch_last_check_timestamp_seconds", GAUGE, "seconds", HOST, "", "",
	"Time of the watcher's last check, Unix time")
METRIC(WATCH_CHECKS, "nfsrdma_watch_checks_total", COUNTER, NULL, HOST, "", "",
	"Checks since the watcher started")
METRIC(WATCH_READS_LOST, "nfsrdma_watch_reads_lost", GAUGE, NULL, HOST, "", "",
	"Mounts whose READs lose data in this host's kernel (bug.read-812)")
METRIC(WATCH_SILENT, "nfsrdma_watch_silent", GAUGE, NULL, HOST, "", "",
	"Mounts whose server does not answer")
METRIC(WATCH_LIBVIRT, "nfsrdma_watch_libvirt_connected", GAUGE, NULL, HOST, "", "",
	"1 if libvirt answers, 0 if not")
METRIC(WATCH_OBJECTS, "nfsrdma_watch_objects", GAUGE, NULL, HOST, "kind, state", "",
	"Watched mounts, oVirt domains, pools and disks, by state")
METRIC(WATCH_LOST, "nfsrdma_watch_lost_total", COUNTER, NULL, HOST, "kind", "",
	"Losses of RDMA since the watcher started")
/* clang-format on */
