import Foundation

/// Measures the peak heap growth of one thread during a call, as jemalloc counts it.
///
/// Memory that the call frees before it allocates more is not added up. jemalloc samples about every 64 KiB, which is
/// the precision.
struct HeapPeak {
    private typealias Control =
        @convention(c) (
            UnsafePointer<CChar>, UnsafeMutableRawPointer?, UnsafeMutablePointer<Int>?, UnsafeMutableRawPointer?, Int
        ) -> Int32

    private let control: Control

    /// Finds the allocator's control; nil when it is not jemalloc 5.3 or later.
    init?() {
        guard let symbol = dlsym(nil, "mallctl") else { return nil }
        control = unsafeBitCast(symbol, to: Control.self)
        guard reset() else { return nil }
    }

    /// Measures a call, which must stay on its thread.
    ///
    /// - Parameter body: The call to measure.
    /// - Returns: The bytes above the thread's heap before the call.
    /// - Throws: The error of the body.
    func bytes(_ body: () throws -> Void) rethrows -> Int {
        _ = reset()
        try body()
        var peak: UInt64 = 0
        var size = MemoryLayout<UInt64>.size
        _ = control("thread.peak.read", &peak, &size, nil, 0)
        return Int(peak)
    }

    private func reset() -> Bool { control("thread.peak.reset", nil, nil, nil, 0) == 0 }
}
