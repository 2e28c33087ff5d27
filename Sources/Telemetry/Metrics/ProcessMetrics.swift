package import Metrics
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Memory, file descriptors and CPU time of this process, read from `/proc` at each scrape.
package final class ProcessMetrics: Sendable {
    private let residentMemory: Meter
    private let openFDs: Meter
    private let maxFDs: Meter
    private let cpu: FloatingPointCounter
    private let countedCPUSeconds = Mutex(0.0)

    /// Creates the metric objects.
    package init(factory: any MetricsFactory) {
        residentMemory = Meter(label: MetricCatalogue.processResidentMemory.name, factory: factory)
        openFDs = Meter(label: MetricCatalogue.processOpenFDs.name, factory: factory)
        maxFDs = Meter(label: MetricCatalogue.processMaxFDs.name, factory: factory)
        cpu = FloatingPointCounter(label: MetricCatalogue.processCPU.name, factory: factory)
        let start = Meter(label: MetricCatalogue.processStart.name, factory: factory)
        start.set(Self.startSeconds())
    }

    /// Reads the numbers; a number that cannot be read keeps its last value.
    package func collect() {
        if let bytes = Self.residentBytes() { residentMemory.set(bytes) }
        if let count = Self.openDescriptors() { openFDs.set(count) }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            maxFDs.set(Double(limit.rlim_cur))
        }
        var usage = rusage()
        if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
            let seconds = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
            let added = countedCPUSeconds.withLock { counted in
                defer { counted = max(counted, seconds) }
                return max(0, seconds - counted)
            }
            cpu.increment(by: added)
        }
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

    /// The second number of `/proc/self/statm` is the resident set in pages (proc(5)).
    private static func residentBytes() -> Int64? {
        let words = readSmallFile("/proc/self/statm")?.split(separator: " ") ?? []
        guard words.count > 1, let pages = Int64(words[1]) else { return nil }
        return pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
    }

    private static func openDescriptors() -> Int64? {
        guard let directory = opendir("/proc/self/fd") else { return nil }
        defer { closedir(directory) }
        var count: Int64 = 0
        while readdir(directory) != nil { count += 1 }
        // Without `.`, `..` and the descriptor of this directory itself.
        return max(0, count - 3)
    }

    /// Field 22 of `/proc/self/stat` is the start in clock ticks since boot; `btime` of `/proc/stat` is the boot time.
    private static func startSeconds() -> Double {
        guard let stat = readSmallFile("/proc/self/stat"), let end = stat.lastIndex(of: ")") else { return 0 }
        // The name in parentheses may contain spaces, so fields are counted after it: field 3 comes first.
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        guard fields.count > 19, let ticks = Double(fields[19]), let boot = bootSeconds() else { return 0 }
        return boot + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    private static func bootSeconds() -> Double? {
        guard let file = fopen("/proc/stat", "re") else { return nil }
        defer { fclose(file) }
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        while getline(&line, &capacity, file) > 0 {
            guard let line else { return nil }
            let text = String(cString: line)
            if text.hasPrefix("btime "), let seconds = Double(text.dropFirst(6).prefix { $0 != "\n" }) {
                return seconds
            }
        }
        return nil
    }

    private static func readSmallFile(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4096) { buffer in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
        }
    }
}
