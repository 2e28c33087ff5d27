import Testing

@testable import Gateway

@Suite("Limit of file descriptors")
struct DescriptorLimitTests {
    @Test(
        "callers, providers and windows share the rest of the limit without the reserve",
        arguments: [
            (1 << 20, 2048, 4096, 20_000), (65_536, 2048, 4096, 20_000), (24_576, 2048, 4096, 18_176),
            (4096, 960, 2880, 1), (1024, 192, 576, 1), (400, 50, 200, 1), (2, 1, 1, 1),
        ]
    )
    func shares(limit: Int, providers: Int, callers: Int, windows: Int) {
        #expect(DescriptorLimit.providers(wanted: 2048, limit: limit) == providers)
        #expect(DescriptorLimit.connections(wanted: 4096, providers: providers, limit: limit) == callers)
        #expect(
            DescriptorLimit.windows(wanted: 20_000, connections: callers + providers, limit: limit) == windows
        )
        #expect(limit < 1024 || providers + callers + DescriptorLimit.reserve <= limit)
    }
}
