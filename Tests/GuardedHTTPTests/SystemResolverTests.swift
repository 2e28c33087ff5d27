import GuardedHTTP
import Testing

@Suite("The system's resolver", .timeLimit(.minutes(10)))
struct SystemResolverTests {
    @Test("finds all addresses of a name, and none of one that is not there")
    func names() async {
        let resolver = SystemResolver()
        let found = await resolver.addresses(of: "localhost")
        #expect(!found.isEmpty && found.allSatisfy { AddressKind($0) == .loopback })
        #expect(await resolver.addresses(of: "no.such.name.invalid").isEmpty)
        resolver.shutdown()
    }
}
