import Foundation

/// The resource usage of a process so far (its CPU clock; `proc(5)`).
package struct ProcessUsage {
    /// CPU time of all its threads, user and system, in seconds.
    package var cpuSeconds: Double
    /// Resident memory, in bytes.
    package var residentBytes: Int
    /// The highest resident memory so far, in bytes.
    package var peakResidentBytes: Int

    /// Reads the counters of a process.
    package init(pid: Int32) throws {
        // `/proc/PID/stat` has hundredths of a second only.
        var (clock, time) = (clockid_t(), timespec())
        guard clock_getcpuclockid(pid, &clock) == 0, clock_gettime(clock, &time) == 0,
            let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        else { throw HarnessError("process \(pid) has ended") }
        cpuSeconds = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        func bytes(_ name: String) -> Int {
            for line in status.split(separator: "\n") where line.hasPrefix(name + ":") {
                let number = line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
                return (number ?? 0) * 1024
            }
            return 0
        }
        residentBytes = bytes("VmRSS")
        peakResidentBytes = bytes("VmHWM")
    }

    /// Returns the CPU time of this process so far, user and system, with microsecond precision.
    package static func ownCPUSeconds() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
