import Foundation

/// The resource usage of a process so far (`proc(5)`).
package struct ProcessUsage {
    /// CPU time of all its threads, user and system, in seconds.
    package var cpuSeconds: Double
    /// Resident memory, in bytes.
    package var residentBytes: Int
    /// The highest resident memory so far, in bytes.
    package var peakResidentBytes: Int

    /// Reads the counters of a process.
    package init(pid: Int32) throws {
        guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8),
            let nameEnd = stat.lastIndex(of: ")")
        else { throw HarnessError("process \(pid) has ended") }
        // Fields 14 and 15 are utime and stime; the first after the name is field 3.
        let fields = stat[stat.index(after: nameEnd)...].split(separator: " ")
        guard fields.count > 13, let user = Double(fields[11]), let system = Double(fields[12]) else {
            throw HarnessError("cannot read /proc/\(pid)/stat")
        }
        cpuSeconds = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
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
