/* streams.cpp - streams, graphs and events. */
#include <chrono>

#include "device.h"

using namespace cuda_emulation;

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    RETURN_IF_TROUBLE();
    *stream = new CUstream_st;
    (*stream)->blocking = !(flags & cudaStreamNonBlocking);
    the_device()->streams.insert(*stream);
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    RETURN_IF_TROUBLE();
    if (!the_device()->streams.count(stream))
        return complain(cudaErrorInvalidResourceHandle, "no such stream");
    cudaError_t error = catch_up_with(stream); /* a device ends it later */
    the_device()->streams.erase(stream);
    delete stream;
    return error;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    RETURN_IF_TROUBLE();
    if (!stream)
        RETURN_IF_CAPTURING();
    else if (!the_device()->streams.count(stream))
        return complain(cudaErrorInvalidResourceHandle, "no such stream");
    else if (stream->capture) {
        stream->invalidated = true;
        return complain(cudaErrorStreamCaptureUnsupported, "a stream that captures is waited for");
    }
    return catch_up_with(stream);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return cudaStreamSynchronize(stream);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
    RETURN_IF_TROUBLE();
    if (!the_device()->events.count(event))
        return note(cudaErrorInvalidResourceHandle);
    the_device()->awaited[stream].insert(event->operation);
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    RETURN_IF_TROUBLE();
    *status = cudaStreamCaptureStatusNone;
    if (stream && stream->capture)
        *status = stream->invalidated ? cudaStreamCaptureStatusInvalidated
                                      : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    RETURN_IF_TROUBLE();
    if (!stream || !the_device()->streams.count(stream) || stream->capture)
        return complain(cudaErrorStreamCaptureUnsupported,
                        "only a stream of one's own can capture, and once at a time");
    stream->capture = new CUgraph_st;
    stream->mode = mode;
    stream->captured_by = std::this_thread::get_id();
    stream->invalidated = false;
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    std::swap(*mode, capture_mode);
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    RETURN_IF_TROUBLE();
    if (!stream || !the_device()->streams.count(stream) || !stream->capture)
        return note(cudaErrorIllegalState);
    cudaGraph_t captured = stream->capture;
    stream->capture = nullptr;
    if (stream->invalidated) {
        delete captured;
        *graph = nullptr;
        return note(cudaErrorStreamCaptureInvalidated);
    }
    the_device()->graphs.insert(captured);
    *graph = captured;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long)
{
    RETURN_IF_TROUBLE();
    *executable = new CUgraphExec_st{graph->operations};
    the_device()->executables.insert(*executable);
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
    RETURN_IF_TROUBLE();
    cudaError_t error = cudaSuccess;
    for (const operation &what : executable->operations)
        if (error == cudaSuccess)
            error = enqueue(stream, what);
    return error;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    the_device()->graphs.erase(graph);
    delete graph;
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
    the_device()->executables.erase(executable);
    delete executable;
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    RETURN_IF_TROUBLE();
    *event = new CUevent_st;
    the_device()->events.insert(*event);
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    RETURN_IF_TROUBLE();
    if (the_device()->events.erase(event) == 0)
        return note(cudaErrorInvalidResourceHandle);
    catch_up();
    delete event;
    return cudaSuccess;
}

static double host_now_ns()
{
    using namespace std::chrono;
    return (double)nanoseconds(steady_clock::now().time_since_epoch()).count();
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    RETURN_IF_TROUBLE();
    if (!the_device()->events.count(event))
        return note(cudaErrorInvalidResourceHandle);
    event->recorded = true;
    event->done = false;
    cudaError_t error = enqueue(stream, [=] {
        event->done = true;
        event->time_ns = the_device()->settings.real_clock ? host_now_ns() : the_device()->now_ns;
        return cudaSuccess;
    });
    event->operation = the_device()->num_enqueued;
    return error;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    RETURN_IF_TROUBLE();
    RETURN_IF_CAPTURING();
    if (!the_device()->events.count(event))
        return note(cudaErrorInvalidResourceHandle);
    return catch_up_with(event);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return cudaEventSynchronize(event);
}

cudaError_t cudaEventElapsedTime(float *elapsed_ms, cudaEvent_t start, cudaEvent_t stop)
{
    RETURN_IF_TROUBLE();
    RETURN_IF_CAPTURING();
    if (!the_device()->events.count(start) || !the_device()->events.count(stop) ||
        !start->recorded || !stop->recorded)
        return note(cudaErrorInvalidResourceHandle);
    if (!start->done || !stop->done)
        return cudaErrorNotReady;
    *elapsed_ms = (float)((stop->time_ns - start->time_ns) / 1e6);
    return cudaSuccess;
}
