"""Keys of fio's job files that have no part in a scenario, or that are refused, with reasons.

The keys and their meaning are those of fio's HOWTO, release 3.38. What a scenario does with the
other keys stands in `fio.py`.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_RESULTS = "it shapes fio's own output, and sanlab writes its tables"
_PROCESS = "it says how fio's processes run, and only their I/O is simulated"
_ENGINE = "it belongs to fio's I/O engine, and here the adapter of the host sends commands"
_BATCH = "requests are submitted one by one, as soon as there is room for them"
_CONTENT = "the contents of blocks have no effect on the simulation"
_VERIFY = "reads that check written data are not simulated"
_FILES = "making, opening and removing files is not simulated, only I/O on their blocks"
_SERVICE = "each file of a job has its part of the requests"
_FLUSH = "a write ends when the array answers it, so there is no page cache to flush"
_RANDOM = "random addresses are drawn with replacement, as with norandommap"
_OLD = "fio reads it and does nothing with it"
_ERRORS = "what fio does after an error; sanlab retries as its hosts do, and counts"
_ZONES = "zones are used only with a 'zonemode'"
_PAUSE = "a pause begins when a request is complete, and takes no processor"
_END = "only sizes and run times end a workload here"

_WITHOUT_MEANING = {
    _RESULTS: """
        write_bw_log write_lat_log write_iops_log write_hist_log log_avg_msec log_hist_msec
        log_hist_coarseness log_max_value log_offset log_compression log_compression_cpus
        log_store_compressed log_unix_epoch log_alternate_epoch log_alternate_epoch_clock_id
        log_prio log_issue_time log_entries log_window_value percentile_list lat_percentiles
        clat_percentiles slat_percentiles disable_lat disable_clat disable_slat disable_bw
        disable_bw_measurement group_reporting new_group stats unified_rw_reporting bwavgtime
        iopsavgtime per_job_logs disk_util gtod_reduce gtod_cpu clocksource significant_figures
        description unit_base write_iolog""",
    _PROCESS: """
        thread cpumask cpus_allowed cpus_allowed_policy numa_cpu_nodes numa_mem_policy nice prio
        prioclass priohint cmdprio_percentage cmdprio_class cmdprio cmdprio_hint cmdprio_bssplit
        mem iomem iomem_align lockmem uid gid cgroup cgroup_weight cgroup_nodelete ioscheduler
        uthread hugepage-size job_start_clock_id""",
    _ENGINE: """
        userspace_reap hipri hipri_percentage fixedbufs registerfiles sqthread_poll
        sqthread_poll_cpu nonvectored uncached nowait force_async spdk_json_conf spdk_conf spdk_rpc
        cmd_type transport mem_size_mb shm_id enable_sgl md_per_io_size pi_act pi_chk apptag
        apptag_mask ioengine ioengine_so_path readfua writefua atomic rwf_atomic libaio_vectored
        zone_append log_flags clientname clustername rbdname pool busy_poll touch_objects
        uri conditional libblkio_driver libblkio_path libblkio_pre_connect_props
        libblkio_num_entries libblkio_queue_size libblkio_pre_start_props libblkio_vectored
        libblkio_write_zeroes_on_trim libblkio_wait_mode libblkio_force_enable_completion_eventfd
        hostname port listen protocol proto net_interface ttl nodelay pingpong window_size mss
        namenode chunk_size cpuload cpuchunks cpumode exit_on_io_done exit_io_done donorname
        inplace verb bindname http_host http_mode http_user http_pass http_s3_key http_s3_keyid
        http_s3_region http_s3_security_token http_verbose https http_swift_auth_token
        sg_write_mode stream_id stat_type skip_bad grpid single_instance nfs_url program
        arguments grace_time std_redirect""",
    _OLD: "rwmixcycle",
    _BATCH: """
        iodepth_batch iodepth_batch_submit iodepth_batch_complete iodepth_batch_complete_min
        iodepth_batch_complete_max iodepth_low io_submit_mode serialize_overlap""",
    _CONTENT: """
        refill_buffers scramble_buffers buffer_compress_percentage buffer_compress_chunk
        buffer_pattern dedupe_percentage dedupe_mode dedupe_working_set_percentage dedupe_global
        zero_buffers""",
    _VERIFY: """
        verify do_verify verify_backlog verify_backlog_batch verify_async verify_async_cpus
        verify_fatal verify_dump verify_state_save verify_state_load verify_interval verify_offset
        verify_pattern verify_pattern_interval verify_header_seed verify_write_sequence verifysort
        verifysort_nr experimental_verify trim_verify_zero trim_percentage trim_backlog
        trim_backlog_batch""",
    _FILES: """
        overwrite fallocate create_serialize create_fsync create_on_open unlink unlink_each_loop
        allow_file_create allow_mounted_write invalidate fadvise_hint openfiles
        filename_format unique_filename pre_read lockfile filesize_is_minimum
        directory fdp dataplacement plids plid_select""",
    _SERVICE: "file_service_type",
    _FLUSH: "fsync fdatasync end_fsync fsync_on_close sync sync_file_range write_barrier",
    _RANDOM: """
        randrepeat allrandrepeat random_generator norandommap softrandommap randommap""",
    _ZONES: """
        zonerange zonecapacity max_open_zones job_max_open_zones initial_zone_reset read_beyond_wp
        zone_reset_threshold zone_reset_frequency ignore_zone_limits""",
    _PAUSE: "thinktime_blocks_type thinktime_spin",
    _ERRORS: "continue_on_error ignore_error error_dump",
    _END: """
        steadystate ss steadystate_duration ss_dur steadystate_ramp_time ss_ramp
        steadystate_check_interval ss_interval rate_min rate_iops_min rate_cycle max_latency
        rate_ignore_thinktime exit_what""",
}
#: Keys without a part in a scenario, each with its reason.
WITHOUT_MEANING = {key: reason for reason, keys in _WITHOUT_MEANING.items() for key in keys.split()}

_COMMAND = ("would run a command, and an import runs nothing", "Remove the line")
_DEPTH = (
    "lets fio choose the depth while it measures, so the file does not fix the load",
    "Remove it, import with a fixed 'iodepth', and let `sanlab size --goal` find the depth",
)
_FLOW = (
    "couples the progress of jobs, which workloads here do not have",
    "Give each job a 'rate_iops' instead",
)
_REPLAY = ("replays a trace, which is a file of its own", "Import that trace in place of the job")
_ENDS_ALL = ("ends jobs when another job ends", "Give each job its 'runtime'")
_FILE_SET = ("chooses files while fio runs", "Name the files with 'filename'")
_NO_IO = ("leaves I/O of the job out", "Remove the line, or the job")
#: Keys that are refused: what each does, and what to do instead.
REFUSED: dict[str, tuple[str, str]] = {
    "exec_prerun": _COMMAND,
    "exec_postrun": _COMMAND,
    "latency_target": _DEPTH,
    "latency_window": _DEPTH,
    "latency_percentile": _DEPTH,
    "latency_run": _DEPTH,
    "flow": _FLOW,
    "flow_id": _FLOW,
    "flow_watermark": _FLOW,
    "flow_sleep": _FLOW,
    "read_iolog": _REPLAY,
    "merge_blktrace_file": _REPLAY,
    "replay_redirect": _REPLAY,
    "replay_no_stall": _REPLAY,
    "replay_time_scale": _REPLAY,
    "replay_scale": _REPLAY,
    "replay_align": _REPLAY,
    "replay_skip": _REPLAY,
    "exitall": _ENDS_ALL,
    "exitall_on_error": _ENDS_ALL,
    "opendir": _FILE_SET,
    "file_append": ("writes behind the end of a file", "Use 'offset' and 'size'"),
    "fill_device": ("writes until the device is full", "Use 'size=100%'"),
    "fill_fs": ("writes until the file system is full", "Use 'size=100%'"),
    "create_only": _NO_IO,
    "verify_only": _NO_IO,
    "profile": ("replaces the job by a profile that is built into fio", "Write the job out"),
    "remote": ("names another machine", "Remove the line"),
}

#: Keys a scenario has a part for.
USED = _words("""
    name rw readwrite bs blocksize bsrange blocksize_range bssplit rwmixread rwmixwrite
    percentage_random percentage_sequential iodepth numjobs rate rate_iops rate_process thinktime
    thinktime_blocks size io_size io_limit filesize number_ios loops runtime timeout time_based
    ramp_time startdelay start_delay stonewall wait_for_previous wait_for random_distribution
    zonemode zonesize zoneskip kb_base filename offset offset_increment blockalign ba direct
    buffered randseed rw_sequencer blocksize_unaligned bs_unaligned bs_is_seq_rand thinktime_iotime
    nrfiles nr_files
""")
#: Other names of the same key.
SAME_KEY = {
    "readwrite": "rw",
    "blocksize": "bs",
    "blocksize_range": "bsrange",
    "timeout": "runtime",
    "start_delay": "startdelay",
    "io_limit": "io_size",
    "wait_for_previous": "stonewall",
    "ba": "blockalign",
    "nr_files": "nrfiles",
    "bs_unaligned": "blocksize_unaligned",
}
#: Keys of engines that name the device in place of 'filename'.
DEVICES = ("uri", "rbdname", "libblkio_path")
#: Keys that may stand without a value, and then mean 1.
FLAGS = _words("time_based stonewall direct buffered blocksize_unaligned bs_is_seq_rand")
#: Why the number of files has no part, if the files have names, or a size together.
FILES_NAMED = "the job has the files or the device that it names"
FILES_IN_A_ROW = "files without names lie behind each other, and are one region here"
#: Orders of files that give each a share of its own.
UNEVEN = ("zipf", "pareto", "normal", "gauss")
#: Engines that keep one request open, whatever `iodepth` says.
SYNCHRONOUS = _words("sync psync vsync pvsync pvsync2 mmap")
#: Engines that do no I/O to a disk.
NO_DISK = _words("""
    null net netsplice cpuio falloc ftruncate e4defrag filecreate filestat filedelete dircreate
    dirstat dirdelete exec libhdfs http nfs rdma dev-dax librpma_apm_client librpma_apm_server
    librpma_gpspm_client librpma_gpspm_server
""")
