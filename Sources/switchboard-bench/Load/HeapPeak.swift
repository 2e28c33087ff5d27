import Foundation

/// How much the heap of one thread grows at most during a call, as jemalloc counts it.
///
/// What the call frees before it allocates more does not add up. jemalloc looks after every 64 KiB or so, and that is how
/// exact it is.
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
    /// - Parameter body: What to measure.
    /// - Returns: Bytes beyond what the thread held before.
    /// - Throws: What the body throws.
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
