"""The same slots on many machines, with dask.distributed."""
