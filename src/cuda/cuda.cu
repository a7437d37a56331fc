/* cuda.cu - a GPU of NVIDIA (device.h), as a module: the first device of the machine, kernels of all.cuh, one launch for many calls.
 *
 * Built without contraction of products and sums and with tiny numbers flushed to 0, as the processor has it: fused
 * multiply-adds are those that the sources ask for. Every call of CUDA is checked; what fails while it runs shows at a later call,
 * in `sync` at the latest.
 * SPDX-License-Identifier: MIT */
#include "cuda/all.cuh"

#include <cuda_runtime.h>
#include <map>
#include <mutex>
#include <stdio.h>
#include <string.h>

#include "cuda/calls.c"

namespace
{

thread_local char said[256];
cudaStream_t streams[MP_STREAMS];
cudaEvent_t passed[MP_STREAMS]; /* of `after` */
cudaEvent_t stamps[MP_STAMPS];
bool is_open;

const char *tell(cudaError_t e, const char *what)
{
    if (e == cudaSuccess) return NULL;
    cudaGetLastError(); /* told: the next call must not find it again */
    snprintf(said, sizeof said, "%s: %s", what, cudaGetErrorString(e));
    return said;
}

#define TRY(call, what)                                                                                                \
    do {                                                                                                               \
        const char *why_ = tell(call, what);                                                                           \
        if (why_) return why_;                                                                                         \
    } while (0)

/* Memory that was given back is kept for the next who asks for as much: CUDA waits for all that runs before it takes memory back, and
 * locks pages slowly. */
struct shelf {
    cudaError_t (*take)(void **p, size_t bytes);
    cudaError_t (*drop)(void *p);
    const char *what;
    std::mutex guard;
    std::map<void *, size_t> taken;
    std::multimap<size_t, void *> spare;

    /* Eight sizes between a power of two and the next: little is lost, and much fits again. */
    static size_t size_for(size_t bytes)
    {
        size_t step = 4096;
        while (step * 16 <= bytes) step *= 2;
        return (bytes + step) / step * step;
    }

    void clear()
    {
        for (auto &piece : spare) drop(piece.second);
        spare.clear();
    }

    const char *get(void **p, size_t bytes)
    {
        std::lock_guard<std::mutex> lock(guard);
        size_t size = size_for(bytes);
        auto found = spare.find(size);
        if (found != spare.end()) {
            *p = found->second;
            spare.erase(found);
        } else {
            cudaError_t e = take(p, size);
            if (e == cudaErrorMemoryAllocation && !spare.empty()) {
                cudaGetLastError();
                clear();
                e = take(p, size);
            }
            TRY(e, what);
        }
        taken[*p] = size;
        return NULL;
    }

    void put(void *p)
    {
        std::lock_guard<std::mutex> lock(guard);
        auto found = taken.find(p);
        if (found == taken.end()) return;
        spare.insert({ found->second, p });
        taken.erase(found);
    }
};

cudaError_t take_pinned(void **p, size_t bytes)
{
    return cudaHostAlloc(p, bytes, cudaHostAllocPortable | cudaHostAllocMapped);
}

shelf there = { cudaMalloc, cudaFree, "memory of the GPU" };
shelf here = { take_pinned, cudaFreeHost, "memory of the host for the GPU" }; /* one address for both sides */

const char *make_streams(void)
{
    for (int i = 0; i < MP_STREAMS; i++) {
        TRY(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking), "a stream of the GPU");
        TRY(cudaEventCreateWithFlags(&passed[i], cudaEventDisableTiming), "an event of the GPU");
    }
    return NULL;
}

void close_device(void)
{
    there.clear();
    here.clear();
    for (int i = 0; i < MP_STAMPS; i++)
        if (stamps[i]) cudaEventDestroy(stamps[i]);
    for (int i = 0; i < MP_STREAMS; i++) {
        if (streams[i]) cudaStreamDestroy(streams[i]);
        if (passed[i]) cudaEventDestroy(passed[i]);
    }
    memset(stamps, 0, sizeof stamps);
    memset(streams, 0, sizeof streams);
    memset(passed, 0, sizeof passed);
    is_open = false;
}

__global__ void probe(int *out)
{
    *out = 1;
}

/* A kernel is run once: a card that the module has no code for, or a driver too old to make it, shows here. */
const char *try_kernel(void)
{
    int *there = NULL;
    TRY(cudaMalloc(&there, sizeof *there), "memory of the GPU");
    probe<<<1, 1>>>(there);
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    cudaFree(there);
    return tell(e, "a first kernel on the GPU");
}

const char *open_device(char *name, size_t room, size_t *memory, size_t *free)
{
    int driver = 0, runtime = 0, count = 0;
    TRY(cudaDriverGetVersion(&driver), "the driver of the GPU");
    TRY(cudaRuntimeGetVersion(&runtime), "CUDA");
    if (driver == 0) {
        snprintf(said, sizeof said, "there is no driver of a GPU of NVIDIA");
        return said;
    }
    if (driver / 1000 < runtime / 1000) { /* within one major version drivers run what is newer */
        snprintf(said, sizeof said, "the driver has CUDA %d.%d, the module needs %d.%d", driver / 1000,
                 driver / 10 % 100, runtime / 1000, runtime / 10 % 100);
        return said;
    }
    TRY(cudaGetDeviceCount(&count), "the GPUs of this machine");
    if (count == 0) {
        snprintf(said, sizeof said, "this machine has no GPU of NVIDIA");
        return said;
    }
    TRY(cudaSetDevice(0), "the first GPU");
    cudaDeviceProp about;
    TRY(cudaGetDeviceProperties(&about, 0), "what the GPU is");
    TRY(cudaMemGetInfo(free, memory), "the memory of the GPU");
    const char *why = try_kernel();
    if (!why && !is_open) why = make_streams();
    if (why) {
        close_device();
        return why;
    }
    is_open = true;
    snprintf(name, room, "%s", about.name);
    return NULL;
}

const char *alloc_memory(void **p, size_t bytes)
{
    return there.get(p, bytes);
}

void release_memory(void *p)
{
    there.put(p);
}

const char *pin_memory(void **p, size_t bytes)
{
    return here.get(p, bytes);
}

void unpin_memory(void *p)
{
    here.put(p);
}

const char *copy_up(int stream, void *device, const void *host, size_t bytes)
{
    TRY(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, streams[stream]), "a copy to the GPU");
    return NULL;
}

const char *copy_down(int stream, void *host, const void *device, size_t bytes)
{
    TRY(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, streams[stream]), "a copy from the GPU");
    return NULL;
}

const char *fill_memory(int stream, void *device, int byte, size_t bytes)
{
    TRY(cudaMemsetAsync(device, byte, bytes, streams[stream]), "filling memory of the GPU");
    return NULL;
}

/* The call that a block belongs to: the last whose first block is not behind it. The threads of a warp look at 32 places at a time,
 * so that a launch of a thousand calls waits for memory twice. */
__device__ __forceinline__ int call_of(const int *first, int n, int block)
{
    int from = 0, to = n, lane = (int)threadIdx.x % 32;
    while (to - from > 1) {
        int step = (to - from + 31) / 32, at = from + lane * step;
        unsigned before = __ballot_sync(0xffffffffu, at < to && first[at] <= block);
        from += (31 - __clz((int)before)) * step; /* lane 0 always is */
        to = from + step < to ? from + step : to;
    }
    return from;
}

template <class K>
__global__ void __launch_bounds__(K::threads, K::at_once)
    many(const typename K::call *const *calls, const int *first, int n)
{
    int block = (int)blockIdx.x, i = call_of(first, n, block);
    K::run(*calls[i], block - first[i]);
}

template <class K> void start(cudaStream_t stream, const void *const *calls, const int *first, int n, int blocks)
{
    many<K><<<(unsigned)blocks, K::threads, 0, stream>>>((const typename K::call *const *)calls, first, n);
}

const char *launch_calls(int stream, const mp_launch *what)
{
    typedef void (*starts)(cudaStream_t, const void *const *, const int *, int, int);
#define MP_STARTS(name) start<kernel_##name>,
    static const starts table[MP_CUDA_KERNELS] = { MP_CUDA_ALL(MP_STARTS) };
#undef MP_STARTS
    if (what->n == 0 || what->blocks == 0) return NULL;
    table[what->kernel](streams[stream], what->calls, what->first, what->n, what->blocks);
    TRY(cudaGetLastError(), mp_call_name[what->kernel]);
    return NULL;
}

const char *wait_for(int stream, int other)
{
    TRY(cudaEventRecord(passed[other], streams[other]), "an event of the GPU");
    TRY(cudaStreamWaitEvent(streams[stream], passed[other], 0), "a stream of the GPU");
    return NULL;
}

const char *sync_stream(int stream)
{
    TRY(cudaStreamSynchronize(streams[stream]), "work of the GPU");
    return NULL;
}

bool is_idle(int stream)
{
    return cudaStreamQuery(streams[stream]) != cudaErrorNotReady;
}

const char *take_stamp(int stream, int stamp)
{
    if (!stamps[stamp]) TRY(cudaEventCreate(&stamps[stamp]), "an event of the GPU");
    TRY(cudaEventRecord(stamps[stamp], streams[stream]), "an event of the GPU");
    return NULL;
}

const char *time_between(int from, int to, double *seconds)
{
    float ms = 0;
    TRY(cudaEventSynchronize(stamps[to]), "work of the GPU");
    TRY(cudaEventElapsedTime(&ms, stamps[from], stamps[to]), "times of the GPU");
    *seconds = 1e-3 * (double)ms;
    return NULL;
}

} // namespace

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)
extern "C" __attribute__((visibility("default"))) const mp_device mp_cuda_plugin = {
    MP_DEVICE_ABI,  "cuda",       "CUDA " TEXT(__CUDACC_VER_MAJOR__) "." TEXT(__CUDACC_VER_MINOR__),
    open_device,    close_device, alloc_memory,
    release_memory, pin_memory,   unpin_memory,
    copy_up,        copy_down,    fill_memory,
    blocks_needed,  launch_calls, wait_for,
    sync_stream,    is_idle,      take_stamp,
    time_between
};
