import GatewayModel
import GatewayStorage
import Testing

@testable import GatewayHTTP

@Suite("The reason why a message was pushed to a device, or why it was not")
struct DeviceExplanationTests {
    private static let accepted = Timestamp(milliseconds: 1_767_323_045_678)

    private static func message(_ type: EventType = .agentMessage, silent: Bool = false) -> Message {
        var event = AgentEvent(id: EventID(trusted: "e"), type: type, consumer: ConsumerID(trusted: "u-1"))
        event.text = "hello"
        event.silent = silent
        if type == .proactiveMessage { event.kind = .proactive }
        return Message(
            PostedEvent(event, MessageID(high: 0x0190_F3C2_7F0E_7CC0, low: 1)),
            brand: BrandID(trusted: "acme"),
            conversation: ConversationID(trusted: "c-1"),
            sequence: 1,
            acceptedAt: accepted,
            expiresAt: accepted.adding(seconds: 60)
        )
    }

    private static func record(_ state: DeliveryState, _ reason: SuppressedBy? = nil) -> DeliveryRecord {
        var record = DeliveryRecord(
            id: DeliveryID(7),
            messageID: MessageID(high: 1, low: 1),
            consumer: ConsumerID(trusted: "u-1"),
            device: DeviceID(trusted: "d-1"),
            app: AppID(trusted: "ios"),
            provider: .apns,
            state: state,
            attempts: 1,
            queuedAt: accepted
        )
        record.suppressedBy = reason
        record.status = 503
        record.reason = "ServiceUnavailable"
        return record
    }

    private static func registration(
        receives: Receives = .all,
        state: RegistrationState = .active,
        createdAt: Timestamp = accepted
    ) -> DeviceRegistration {
        DeviceRegistration(
            id: RegistrationID(1),
            brand: BrandID(trusted: "acme"),
            app: AppID(trusted: "ios"),
            device: DeviceID(trusted: "d-1"),
            consumer: ConsumerID(trusted: "u-1"),
            lane: LaneID(1),
            token: "aabbccdd",
            pushType: .apns,
            environment: .production,
            platform: .ios,
            locale: nil,
            timeZone: nil,
            osVersion: nil,
            appVersion: nil,
            receives: receives,
            state: state,
            registeredAt: createdAt,
            createdAt: createdAt
        )
    }

    private func explained(
        _ record: DeliveryRecord,
        _ wait: DeviceExplanation.Wait = .init(),
        silent: Bool = false
    ) -> DeviceExplanation {
        DeviceExplanation(record, Self.message(silent: silent)) { _ in wait }
    }

    @Test("each state of a delivery has an outcome and a code")
    func states() {
        let expected: [(DeliveryState, DeviceExplanation.Outcome, DeviceExplanation.Code)] = [
            (.pending, .waiting, .queued), (.held, .waiting, .windowOpen), (.sending, .waiting, .sending),
            (.retrying, .waiting, .retrying), (.accepted, .pushed, .accepted), (.delivered, .pushed, .delivered),
            (.tapped, .pushed, .tapped), (.failed, .notPushed, .failed), (.expired, .notPushed, .expired),
            (.suppressed, .notPushed, .silenced), (.cancelled, .notPushed, .silenced),
        ]
        #expect(expected.count == DeliveryState.allCases.count)
        for (state, outcome, code) in expected {
            let found = explained(Self.record(state))
            #expect(found.outcome == outcome && found.code == code && found.delivery == DeliveryID(7), "\(state)")
            #expect(found.sentence.hasSuffix("."), "\(state)")
        }
        #expect(explained(Self.record(.failed)).sentence.contains("503 ServiceUnavailable"))
        #expect(explained(Self.record(.accepted), silent: true).sentence.contains("silent"))
    }

    @Test("each reason of a withdrawn delivery has the code of its name")
    func reasons() {
        for reason in SuppressedBy.allCases {
            let found = explained(Self.record(.cancelled, reason))
            #expect(found.code.rawValue == reason.rawValue && found.outcome == .notPushed)
        }
    }

    @Test("a push that waits names the lane before quiet hours, and quiet hours before its own retry")
    func waits() {
        let until = Self.accepted.adding(seconds: 60)
        let both = DeviceExplanation.Wait(quietUntil: until, lane: "An operator paused it.")
        for state in [DeliveryState.pending, .retrying] {
            #expect(explained(Self.record(state), both).code == .laneWaits)
            #expect(explained(Self.record(state), both).sentence.contains("An operator paused it."))
            let quiet = explained(Self.record(state), DeviceExplanation.Wait(quietUntil: until))
            #expect(quiet.code == .quietHours && quiet.sentence.contains(until.rfc3339))
        }
        #expect(explained(Self.record(.sending), both).code == .sending)
        // For those that a pace holds back it is named, in the lane's memory and behind it.
        for state in [DeliveryState.pending, .sending] {
            let paced = explained(Self.record(state), DeviceExplanation.Wait(pushesPerSecond: 3)).sentence
            #expect(paced.hasSuffix(" An operator set the lane's pace: at most 3 a second."))
            #expect(!explained(Self.record(state), DeviceExplanation.Wait()).sentence.contains("pace"))
        }
    }

    @Test("a device without a delivery has the reason of its registration")
    func registrations() {
        let later = Self.accepted.adding(milliseconds: 1)
        func code(_ registration: DeviceRegistration, _ message: Message?) -> DeviceExplanation.Code {
            let found = DeviceExplanation(registration, message)
            #expect(found.outcome == .notPushed && found.delivery == nil)
            return found.code
        }
        let (agents, proactive) = (Self.message(), Self.message(.proactiveMessage))
        #expect(code(Self.registration(), nil) == .noMessage)
        #expect(code(Self.registration(createdAt: later), agents) == .registeredLater)
        #expect(code(Self.registration(receives: .proactive), agents) == .agentLoggedOut)
        #expect(code(Self.registration(receives: .agent), proactive) == .notSubscribed)
        #expect(code(Self.registration(state: .quarantined), agents) == .tokenRejected)
        #expect(code(Self.registration(), agents) == .notStored)
        #expect(code(Self.registration(receives: .proactive), proactive) == .notStored)
    }
}
