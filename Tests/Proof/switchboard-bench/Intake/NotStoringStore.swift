import GatewayModel
import GatewayStorage

/// A store that accepts every event and stores nothing, to measure a server without storage.
struct NotStoringStore: TurnStore, HealthStore, TenantStore, AuditStore, SessionStore {
    /// Makes the session for a token's hash, for session lookups.
    var makeSession: (@Sendable ([UInt8]) -> StoredSession)?

    func begin(
        now: Timestamp,
        quietUntil: @escaping QuietUntil
    ) async throws(StorageError) -> IncarnationStart {
        IncarnationStart(incarnation: IncarnationID(1), now: now, backlog: [:], recovered: 0, lastMessage: nil)
    }

    func commit(_ turn: WriterTurn) async throws(StorageError) -> WriterTurnResult {
        var result = WriterTurnResult()
        result.accepts = turn.accepts.map { request in
            request.events.map { posted in
                .accepted(
                    AcceptedEvent(
                        messageID: posted.messageID,
                        conversation: posted.event.conversation,
                        sequence: 1,
                        unread: 1,
                        deliveries: 1
                    )
                )
            }
        }
        return result
    }

    func unfinishedPushes() async throws(StorageError) -> (count: Int, oldest: Timestamp?) {
        (0, nil)
    }
    func probe() async throws(StorageError) {}
    func probeWriting() async throws(StorageError) {}
    func onDamage(_ listener: @escaping @Sendable (StorageError) -> Void) {}
    func session(tokenHash: [UInt8]) async throws(StorageError) -> StoredSession? { makeSession?(tokenHash) }
    func onSessionEnd(_ listener: @escaping @Sendable (SessionEnd) -> Void) {}
    func brands() async throws(StorageError) -> [Brand] { [] }
    func apps() async throws(StorageError) -> [StoredApp] { [] }
    func lanes() async throws(StorageError) -> [LaneID: LaneKey] { [:] }
    func pausedLanes() async throws(StorageError) -> [LaneID: Timestamp] { [:] }
    func lanePaces() async throws(StorageError) -> [LaneID: Int64] { [:] }
    func credentials() async throws(StorageError) -> [StoredCredential] { [] }
    func hooks() async throws(StorageError) -> [StoredHook] { [] }
    func insertBrand(_ brand: Brand, audit: AuditEntry?) async throws(StorageError) {}
    func insertCredential(_ credential: StoredCredential, audit: AuditEntry?) async throws(StorageError) {}
    func appendAudit(_ entry: AuditEntry) async throws(StorageError) {}
    func audit(_ query: AuditQuery) async throws(StorageError) -> [AuditRecord] { [] }

    // MARK: Not used

    private static let notKept = StorageError.unavailable(detail: "this store stores nothing")

    func updateBrand(_ brand: Brand, audit: AuditEntry?) async throws(StorageError) -> Bool { throw Self.notKept }
    func deleteBrand(_ brand: BrandID, audit: AuditEntry?) async throws(StorageError) -> [LaneID]? {
        throw Self.notKept
    }
    func putApp(_ app: StoredApp, lanes: [LaneKey], audit: AuditEntry?) async throws(StorageError) -> Bool {
        throw Self.notKept
    }
    func deleteApp(brand: BrandID, app: AppID, audit: AuditEntry?) async throws(StorageError) -> [LaneID]? {
        throw Self.notKept
    }
    func pauseLane(_ lane: LaneID, since: Timestamp?, audit: AuditEntry?) async throws(StorageError) -> Bool {
        throw Self.notKept
    }
    func setPace(of lane: LaneID, perSecond: Int64?, audit: AuditEntry?) async throws(StorageError) -> Bool {
        throw Self.notKept
    }
    func revokeCredential(
        brand: BrandID,
        id: String,
        now: Timestamp,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool {
        throw Self.notKept
    }
    func putHook(_ hook: StoredHook, audit: AuditEntry?) async throws(StorageError) -> Bool { throw Self.notKept }
    func deleteHook(brand: BrandID, id: HookID, audit: AuditEntry?) async throws(StorageError) -> Bool {
        throw Self.notKept
    }
    func resealSecrets(
        at now: Timestamp,
        _ reseal: @escaping @Sendable (SealedSecret) -> [UInt8]?,
        verify: @escaping @Sendable (SealedSecret) -> Bool
    ) async throws(StorageError) -> ResealedCounts {
        throw Self.notKept
    }
}
