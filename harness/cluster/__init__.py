"""The same slots on many machines, by dask.distributed."""
