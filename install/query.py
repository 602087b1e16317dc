# Says what an interpreter has, as JSON. It must run in every Python, also in 2.7.
import json
import sys

lab = ""
kernels = None
try:
    from importlib.metadata import version

    lab = version("jupyterlab")
    from jupyter_core.paths import jupyter_path

    kernels = jupyter_path("kernels")
except Exception:
    pass
print(json.dumps({
    "version": list(sys.version_info[:2]),
    "prefix": sys.prefix,
    "lab": lab,
    "kernels": kernels,
}))
