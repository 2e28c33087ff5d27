import Delivery
import GatewayModel
import GatewayStorage
import Identity
import Logging
import SQLiteStorage
import Synchronization

@testable import GatewayHTTP

extension TestGateway {
    static func makeStore(_ path: String) async throws -> any GatewayStore {
        MemoryStore()
    }

    static func makeServices(
        store: any GatewayStore,
        delivery: DeliveryService,
        lanes: TestLanes,
        clock: TestClock,
        logger: Logger
    ) async throws -> GatewayServices {
        let directory = try await Directory.load(
            store: store,
            box: SecretBox(key: MasterKey()),
            clock: clock,
            validate: { _ in [] }
        )
        lanes.directory.withLock { $0 = directory }
        directory.onChange { change in
            delivery.lanesChanged(change.changedLanes)
            delivery.lanesRemoved(change.removedLanes)
        }
        return GatewayServices(
            store: store,
            delivery: delivery,
            directory: directory,
            accounts: ServiceAccountAuthenticator(directory: directory, clock: clock),
            admin: try AdminToken(text: adminToken),
            sessions: SessionService(
                store: store,
                writer: DeliveryWriter(delivery: delivery),
                directory: directory,
                clock: clock
            ),
            assertions: SDKKeyVerifier(directory: directory, clock: clock),
            clock: clock,
            logger: logger,
            metrics: { "# a test\n" }
        )
    }
}

struct DeliveryWriter: SessionWriter {
    let delivery: DeliveryService
    func perform(_ change: StoreChange) async throws(StorageError) -> StoreChangeResult {
        do { return try await delivery.perform(change) } catch {
            if case .storage(let e) = error { throw e }
            throw .unavailable(detail: "")
        }
    }
}
