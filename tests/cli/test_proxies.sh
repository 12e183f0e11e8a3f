title "what there is"
nitro proxies | sed -n 1,4p
nitro proxies | grep -c 'kernel on'
nitro proxies --json >p.json
try json_get '#' 2.proxy 2.metrics.# 2.device_features.0 2.kernels.host <p.json
try nitro proxies --proxies missing.json
