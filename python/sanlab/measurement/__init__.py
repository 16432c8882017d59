"""The workloads of a scenario on real storage, with fio; results as a run folder."""
