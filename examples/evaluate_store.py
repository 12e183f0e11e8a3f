"""Evaluates Nitro on the devices of a store. A notebook as a script: run it cell by cell, or whole.

Usage: evaluate_store.py STORE [COMPUTATION]
"""

# %% Open the store for reading and list its devices.
import sys

import nitro

url = sys.argv[1]
store = nitro.Store(url)
computation = sys.argv[2] if len(sys.argv) > 2 else store.computations()[0]
devices = store.devices(computation)
print(f"{computation} on {len(devices)} devices")
for device in devices:
    print(f"  {device}: {store.num_samples(computation, device)} samples")

# %% Take each device in turn as the target, the others as sources.
methods = ["random", "fixed", "pooled", "forest", "native"]
results = store.evaluate(computation, methods=methods, seed=1)
quality = {(result.target, result.method): result.mean for result in results}
print("quality in percent" + (", of modelled times" if results[0].modelled else ""))
print(f"{'target':>20}" + "".join(f"{method:>9}" for method in methods))
for device in devices:
    print(f"{device:>20}" + "".join(f"{quality[device, m]:9.1f}" for m in methods))

# %% Make a model for the device with the lowest quality, without its own samples.
target = min(devices, key=lambda device: quality[device, "forest"])
model = store.tune_from_source(computation, target, strategy="forest", seed=1)
print(f"{target}: learnt from {', '.join(d for d in devices if d != target)}")

# %% Print the features and variants of the model.
print("features:", ", ".join(model.features))
print("variants:", ", ".join(model.variants))
