import Foundation
import GatewayModel
import PushSimulator
import Testing

/// One response of a provider, and its expected effects.
struct OutcomeRow: Sendable, CustomTestStringConvertible {
    enum DeviceEffect: Sendable {
        case kept
        case quarantined
        case dropped
    }

    /// The outcome of the rejected push; a push that is sent again is then accepted.
    enum DeliveryEffect: Sendable, Equatable {
        case accepted
        case failed
        case again(Wait)
    }

    enum Wait: Sendable {
        case none
        /// The first of the retry delays.
        case schedule
        /// FCM's 5xx.
        case tenSeconds
        /// FCM's 429 without Retry-After.
        case minute
        /// The first open time of the breaker.
        case breaker

        /// The wait in milliseconds; up to a fifth is added as jitter.
        var range: ClosedRange<Int64> {
            switch self {
            case .none: 0...0
            case .schedule: 5_000...6_000
            case .tenSeconds: 10_000...12_000
            case .minute: 60_000...72_000
            case .breaker: 30_000...30_000
            }
        }
    }

    enum LaneEffect: Sendable {
        /// Other devices' pushes are sent meanwhile.
        case open
        /// They wait with the rejected one.
        case paused
        /// They wait too, and there is an alarm.
        case stopped
        /// There is an alarm, but only devices of the rejected one's platform wait, which differs from the others'.
        case platformStopped

        var isOpen: Bool { self == .open || self == .platformStopped }
        var callsOperator: Bool { self == .stopped || self == .platformStopped }
    }

    enum ConnectionEffect: Sendable {
        case kept
        case replaced
    }

    enum TokenEffect: Sendable {
        case kept
        case renewed
    }

    var provider: PushType
    var status: Int
    /// The table's reason; nil for a row of the status classes.
    var word: String?
    /// The simulator's response instead of the plain reason.
    var action: RuleAction
    /// The reason that operators see.
    var reason: String?
    var device = DeviceEffect.kept
    var delivery: DeliveryEffect
    var lane = LaneEffect.open
    var connection = ConnectionEffect.kept
    var credential = TokenEffect.kept
    var name: String

    var testDescription: String { "\(provider.rawValue) \(name)" }

    /// Makes a row of APNs with the usual response of its reason.
    static func apns(
        _ status: Int,
        _ reason: String,
        _ delivery: DeliveryEffect,
        device: DeviceEffect = .kept,
        lane: LaneEffect = .open,
        connection: ConnectionEffect = .kept,
        credential: TokenEffect = .kept
    ) -> OutcomeRow {
        OutcomeRow(
            provider: .apns,
            status: status,
            word: reason,
            action: RuleAction(status: status, reason: reason),
            reason: reason,
            device: device,
            delivery: delivery,
            lane: lane,
            connection: connection,
            credential: credential,
            name: "\(status) \(reason)"
        )
    }

    /// Makes a row of FCM with Google's error body, or with the response of a front end.
    static func fcm(
        _ status: Int,
        _ word: String?,
        _ body: String,
        reason: String?,
        _ delivery: DeliveryEffect,
        device: DeviceEffect = .kept,
        lane: LaneEffect = .open,
        credential: TokenEffect = .kept,
        named name: String? = nil
    ) -> OutcomeRow {
        OutcomeRow(
            provider: .fcm,
            status: status,
            word: word,
            action: RuleAction(status: status, body: Array(body.utf8)),
            reason: reason,
            device: device,
            delivery: delivery,
            lane: lane,
            credential: credential,
            name: name ?? "\(status) \(word ?? "none")"
        )
    }

    /// Makes a row for a response that is in no table.
    static func other(
        _ provider: PushType,
        _ name: String,
        _ action: RuleAction,
        reason: String?,
        _ delivery: DeliveryEffect,
        device: DeviceEffect = .kept,
        lane: LaneEffect = .open,
        credential: TokenEffect = .kept
    ) -> OutcomeRow {
        OutcomeRow(
            provider: provider,
            status: action.status ?? 200,
            word: nil,
            action: action,
            reason: reason,
            device: device,
            delivery: delivery,
            lane: lane,
            credential: credential,
            name: name
        )
    }
}
