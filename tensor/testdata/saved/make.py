"""Makes the files in this folder: python make.py, with numpy, safetensors and ml_dtypes.

The committed files are by numpy 2.4.6, safetensors 0.8.0 and ml_dtypes 0.6.0.
"""

import ml_dtypes
import numpy as np
from safetensors.numpy import save_file

x = (np.arange(6).reshape(2, 3) - 2.5) / 3  # as TestSaved has it
floats = {"float64": x, "float32": x.astype("f4"), "float16": x.astype("f2")}
whole = {
    "int64": np.array([-(2**63), 0, 2**63 - 1]),
    "bool": np.array([[True], [False]]),
    "int32": np.array([-(2**31), 5, 2**31 - 1], "i4"),
    "int16": np.array([-(2**15), 5, 2**15 - 1], "i2"),
    "int8": np.array([-128, 5, 127], "i1"),
    "uint64": np.array([0, 5, 2**63 - 1], "u8"),
    "uint32": np.array([0, 5, 2**32 - 1], "u4"),
    "uint16": np.array([0, 5, 2**16 - 1], "u2"),
    "uint8": np.array([0, 5, 255], "u1"),
}
others = {"number": np.array(2.5), "empty": np.zeros((2, 0, 3), "f4")}
everything = floats | whole | others

save_file(
    everything | {"bfloat16": x.astype(ml_dtypes.bfloat16)},
    "python.safetensors",
    metadata={"made by": "Python", "größe": "\u2113 \"quoted\""},
)
np.savez("stored.npz", **everything)
np.savez_compressed("deflated.npz", **everything)
np.save("fortran.npy", np.asfortranarray(x))
np.save("big.npy", x.astype(">f4"))
np.save("structured.npy", np.zeros(2, [("a", "f4"), ("b", "i4")]))
np.save("complex.npy", np.zeros(2, "c8"))
np.save("bfloat16.npy", x.astype(ml_dtypes.bfloat16))
np.save("object.npy", np.array([None]), allow_pickle=True)
with open("version2.npy", "wb") as f:
    np.lib.format.write_array(f, x, version=(2, 0))
