"""Probes: run the code of a claim in isolation and report what happened.

`LocalExecutor` (parent) starts a fork server through `client`; the `server`
forks a `child` per case under a `watch`, and the child runs the `case`. What
goes in is made by `jobs`, what comes out is read by `outcome`; in between lies
`wire`. Only the server and its children import the libraries under
examination.
"""

from verifier.probe.executor import Executor, LocalExecutor
from verifier.probe.limits import Limits

__all__ = ["Executor", "Limits", "LocalExecutor"]
