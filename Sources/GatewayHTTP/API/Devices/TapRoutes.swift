internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import TextFormats

/// Reports from devices about pushes: taps and receipts (DevicesBadgesTaps page).
enum TapRoutes {
    static func add(to routes: inout RouteTable) {
        routes.on(.post, "/v1/brands/:brand/messages/:messageId/tap", pages: .brand) { try await tap($0) }
        routes.on(.post, "/v1/brands/:brand/receipts", pages: .brand) { try await receipts($0) }
    }

    private static func tap(_ call: Call) async throws -> Response {
        let access = try await call.requireConsumer()
        // An id in another format cannot exist.
        guard let message = MessageID(try call.segment("messageId")) else { throw Problem.notFound("message") }
        let body = try await call.object()
        let now = call.services.clock.now
        var checks = FieldChecks()
        let named = checks.identifier(body["deviceId"], as: DeviceID.self, isRequired: true)
        let tappedAt = checks.moment(body["tappedAt"]) ?? now
        let action = checks.line(body["action"], atMost: 256)
        let clearsOthers = checks.flag(body["clearOthers"]) ?? false
        let device = try checks.finish(named)
        try access.require(device: device)
        var request = TapRequest(
            brand: access.brand.id,
            consumer: access.consumer,
            message: message,
            device: device,
            // A device's clock may be ahead; a tap in the future would be sorted before later ones.
            tappedAt: min(tappedAt, now),
            action: action
        )
        request.clearsOthers = clearsOthers
        request.showsExpired = access.brand.settings.showExpiredProactive
        switch try await call.perform(.tap(request)) {
        case .tapped(let result): return tapped(result)
        case .gone: throw Problem(.gone, "The message is past its look-back.")
        default: throw Problem.notFound("message")
        }
    }

    private static func tapped(_ result: TapResult) -> Response {
        ResponseFactory.object(.ok, capacity: 512) { writer in
            writer.member("kind", result.message.kind.rawValue)
            writer.member("conversation", result.message.conversation.rawValue)
            writer.member("sequence", result.message.sequence)
            if result.message.kind != .agent {
                writer.name(known: "message")
                writer.message(result.message)
            }
            writer.member("tappedAt", result.tappedAt)
        }
    }

    /// The maximum number of receipts in one call: an app that was offline for long sends several calls.
    private static let maxReceipts = 500

    /// The number of receipts in one change: it takes the writer about a millisecond, for which all other events wait.
    ///
    /// When a later change fails, the recorded receipts stay: a receipt that is sent again has no effect.
    private static let receiptsPerChange = 25

    /// Handles each receipt on its own.
    ///
    /// A receipt that is invalid, or from a newer app, does not prevent the others. The request is rejected only when
    /// no receipt is valid.
    private static func receipts(_ call: Call) async throws -> Response {
        let access = try await call.requireConsumer()
        let body = try await call.object()
        let now = call.services.clock.now
        var checks = FieldChecks()
        let named = checks.items(body["receipts"], atMost: maxReceipts, isRequired: true)
        let items = try checks.finish(named)
        let read = items.map { receipt($0, access, now: now) }
        let receipts = read.compactMap { try? $0.get() }
        let rejections = read.compactMap { if case .failure(let rejection) = $0 { rejection } else { nil } }
        if receipts.isEmpty, !rejections.isEmpty {
            guard rejections.contains(where: { $0.isWrong }) else { throw Problem.foreignDevice }
            throw Problem(invalid: rejections.flatMap(\.problems))
        }
        let canaries = call.services.canaries.received(receipts.map(\.message), brand: access.brand.id)
        var met: [Bool] = []
        var left = receipts[...]
        while !left.isEmpty {
            let piece = Array(left.prefix(receiptsPerChange))
            left = left.dropFirst(receiptsPerChange)
            let change = StoreChange.receipts(brand: access.brand.id, consumer: access.consumer, piece)
            if case .receipts(let recorded) = try await call.perform(change) { met += recorded }
        }
        // The store knows no canary.
        return recorded(read, zip(met, canaries).map { $0 || $1 })
    }

    /// The reason for which a receipt is rejected.
    private struct ReceiptRejection: Error {
        var problems: [FieldProblem]
        /// False when only its device is wrong, because it is not the session's.
        var isWrong: Bool
    }

    private static func receipt(
        _ item: BodyMember,
        _ access: ConsumerAccess,
        now: Timestamp
    ) -> Result<DeviceReceipt, ReceiptRejection> {
        var checks = FieldChecks()
        let members = checks.object(item, isRequired: true)
        var receipt: DeviceReceipt?
        if let members {
            let name = checks.text(members["messageId"], isRequired: true)
            let message = name.flatMap { MessageID($0) }
            if name != nil, message == nil { checks.fail(members["messageId"].pointer, "must be a UUID") }
            let device = checks.identifier(members["deviceId"], as: DeviceID.self, isRequired: true)
            let state = checks.word(members["state"], as: DeviceReceipt.State.self, isRequired: true)
            let at = checks.moment(members["at"], isRequired: true)
            if let message, let device, let state, let at {
                // As for taps: a device's clock may be ahead.
                receipt = DeviceReceipt(message: message, device: device, state: state, at: min(at, now))
            }
        }
        guard let members, let receipt, checks.problems.isEmpty else {
            return .failure(ReceiptRejection(problems: checks.problems, isWrong: true))
        }
        guard access.boundDevice == nil || access.boundDevice == receipt.device else {
            checks.fail(members["deviceId"].pointer, "is not the session's device")
            return .failure(ReceiptRejection(problems: checks.problems, isWrong: false))
        }
        return .success(receipt)
    }

    private static func recorded(_ read: [Result<DeviceReceipt, ReceiptRejection>], _ met: [Bool]) -> Response {
        ResponseFactory.object(.accepted, capacity: 48 + read.count * 24) { writer in
            writer.member("recorded", Int64(met.count { $0 }))
            var left = met[...]
            writer.array("results", read) { writer, result in
                switch result {
                case .success:
                    writer.literal(left.popFirst() ?? false ? #"{"status":"recorded"}"# : #"{"status":"unknown"}"#)
                case .failure(let rejection):
                    writer.literal(#"{"status":"rejected""#)
                    writer.array("errors", rejection.problems) { $0.fieldProblem($1) }
                    writer.literal("}")
                }
            }
        }
    }
}
