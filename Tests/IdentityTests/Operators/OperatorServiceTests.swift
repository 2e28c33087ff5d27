import GatewayModel
import GatewayStorage
import TestSupport
import Testing

@testable import Identity

@Suite("Signing operators in", .timeLimit(.minutes(10)))
struct OperatorServiceTests {
    private static let password = "correct horse battery"

    private static func with(_ body: (OperatorService, Gateway) async throws -> Void) async throws {
        try await Gateway.with { gateway in
            let service = OperatorService(
                store: gateway.store,
                directory: gateway.directory,
                clock: gateway.clock,
                cost: PasswordHash.Cost(logarithm: 1, blockSize: 1, repetitions: 1)
            )
            _ = try await service.create(
                OperatorName(trusted: "dana"),
                password: password,
                grants: [OperatorGrant(.support, in: Gateway.acme)],
                address: nil,
                audit: entry(OperatorName(trusted: "dana"))
            )
            try await body(service, gateway)
        }
    }

    private static func entry(_ name: OperatorName) -> AuditEntry {
        AuditEntry(
            brand: nil,
            at: Timestamp(milliseconds: 1),
            actor: .admin,
            action: .operatorCreated,
            target: name.rawValue
        )
    }

    /// Returns the error of an attempt; nil when it succeeds.
    private static func attempt(
        _ service: OperatorService,
        _ name: String = "dana",
        _ password: String = password,
        from address: String? = nil
    ) async -> OperatorError? {
        do throws(OperatorError) {
            _ = try await service.signIn(name, password: password, address: address, audit: entry)
            return nil
        } catch { return error }
    }

    @Test("a name is slowed down from every address, and an address for every name")
    func waits() async throws {
        try await Self.with { service, gateway in
            for address in ["1", "2", "3", "4"] {
                #expect(await Self.attempt(service, "dana", "wrong", from: address) == .unauthorized)
            }
            #expect(await Self.attempt(service, from: "5") == .limited(seconds: 1))
            #expect(await Self.attempt(service) == .limited(seconds: 1))
            gateway.clock.advance(seconds: 1)
            #expect(await Self.attempt(service, from: "5") == nil)
            for name in ["a", "b", "nobody", "session"] {
                #expect(await Self.attempt(service, name, from: "6") == .unauthorized)
            }
            #expect(await Self.attempt(service, from: "6") == .limited(seconds: 1))
            // This host is nobody's address.
            for name in ["c", "d", "e", "f", "g"] { #expect(await Self.attempt(service, name) == .unauthorized) }
            #expect(await Self.attempt(service) == nil)
        }
    }

    @Test("attempts at the same time do not get around the wait")
    func concurrent() async throws {
        try await Self.with { service, _ in
            let errors = await withTaskGroup(of: OperatorError?.self) { group in
                for _ in 0..<20 { group.addTask { await Self.attempt(service, "dana", "wrong", from: "1") } }
                return await group.reduce(into: [OperatorError?]()) { $0.append($1) }
            }
            #expect(errors.count { $0 == .unauthorized } == 4)
            #expect(errors.count { $0 == .limited(seconds: 1) } == 16)
        }
    }

    @Test("an account with another password, or without one, is not opened by what was its password")
    func changed() async throws {
        try await Self.with { service, gateway in
            let name = OperatorName(trusted: "dana")
            _ = try await service.update(
                name,
                password: "another password",
                grants: nil,
                address: nil,
                audit: Self.entry(name)
            )
            #expect(await Self.attempt(service) == .unauthorized)
            #expect(await Self.attempt(service, "dana", "another password") == nil)
            let stored = StoredOperator(
                name: OperatorName(trusted: "erin"),
                password: nil,
                grants: [],
                createdAt: gateway.clock.now,
                updatedAt: gateway.clock.now
            )
            #expect(try await gateway.store.insertOperator(stored, limit: 10, audit: nil))
            #expect(await Self.attempt(service, "erin", "") == .unauthorized)
        }
    }

    @Test("the highest of an account's roles counts, in a brand and in the instance")
    func roles() {
        let grants = [OperatorGrant(.viewer, in: nil), OperatorGrant(.operator, in: Gateway.acme)]
        #expect(grants.role(in: Gateway.acme) == .operator)
        #expect(grants.role(in: Gateway.other) == .viewer)
        #expect(grants.role(in: nil) == .viewer)
        #expect([OperatorGrant(.admin, in: Gateway.acme)].role(in: nil) == nil)
        #expect([OperatorGrant(.admin, in: Gateway.acme)].role(in: Gateway.other) == nil)
        let admin = OperatorIdentity(
            name: OperatorName(trusted: "dana"),
            grants: [OperatorGrant(.admin, in: Gateway.acme)],
            tokenHash: [],
            expiresAt: Timestamp(milliseconds: 0)
        )
        #expect(!admin.isInstanceAdmin && admin.allows(.eventsWrite, in: Gateway.acme))
        #expect(!admin.allows(.deliveriesRead, in: Gateway.other))
        #expect(
            Set([Scope.consumersWrite]).allows(.consumersRead) && !Set([Scope.consumersRead]).allows(.consumersWrite)
        )
    }
}
