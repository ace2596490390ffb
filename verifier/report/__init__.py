"""Reports: the results of a run, for people and for machines."""
