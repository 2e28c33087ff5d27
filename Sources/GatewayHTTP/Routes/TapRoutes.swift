internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import PushPayloads

/// What devices say of pushes: taps and receipts (`http-api.md` section 6).
enum TapRoutes {
    static func add(to routes: inout RouteTable) {
        routes.on(.post, "/v1/brands/:brand/messages/:messageId/tap") { try await tap($0) }
        routes.on(.post, "/v1/brands/:brand/receipts") { try await receipts($0) }
    }

    private static func tap(_ call: Call) async throws -> Response {
        let access = try await call.requireConsumer()
        // What is no id of ours cannot be known.
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
            // A device's clock may be ahead; a tap of the future would sort before what follows it.
            tappedAt: min(tappedAt, now),
            action: action
        )
        request.clearsOthers = clearsOthers
        switch try await call.perform(.tap(request)) {
        case .tapped(let answer): return Answer.json(.ok, tapped(answer))
        case .gone: throw Problem(.gone, "The message is past its look-back.")
        default: throw Problem.notFound("message")
        }
    }

    private static func tapped(_ answer: TapAnswer) -> JSONWriter {
        var writer = JSONWriter(capacity: 512)
        writer.literal(#"{"kind":"#)
        writer.string(answer.message.kind.rawValue)
        writer.literal(#","conversation":"#)
        writer.string(answer.message.conversation.rawValue)
        writer.literal(#","sequence":"#)
        writer.integer(answer.message.sequence)
        if answer.message.kind != .agent {
            writer.literal(#","message":"#)
            writer.message(answer.message)
        }
        writer.literal(#","tappedAt":"#)
        writer.timestamp(answer.tappedAt)
        writer.literal("}")
        return writer
    }

    /// How many receipts one call may carry.
    private static let maxReceipts = 500

    private static func receipts(_ call: Call) async throws -> Response {
        let access = try await call.requireConsumer()
        let body = try await call.object()
        let now = call.services.clock.now
        var checks = FieldChecks()
        var receipts: [DeviceReceipt] = []
        for item in checks.items(body["receipts"], atMost: maxReceipts, isRequired: true) ?? [] {
            guard let members = checks.object(item, isRequired: true) else { continue }
            let name = checks.text(members["messageId"], isRequired: true)
            let message = name.flatMap { MessageID($0) }
            if name != nil, message == nil { checks.fail(members["messageId"].pointer, "must be a UUID") }
            let device = checks.identifier(members["deviceId"], as: DeviceID.self, isRequired: true)
            let state = checks.word(members["state"], as: DeviceReceipt.State.self, isRequired: true)
            let at = checks.moment(members["at"], isRequired: true)
            guard let message, let device, let state, let at else { continue }
            try access.require(device: device)
            receipts.append(DeviceReceipt(message: message, device: device, state: state, at: min(at, now)))
        }
        try checks.finish()
        var recorded = 0
        if !receipts.isEmpty,
            case .receipts(let count) = try await call.perform(
                .receipts(brand: access.brand.id, consumer: access.consumer, receipts)
            )
        {
            recorded = count
        }
        var writer = JSONWriter(capacity: 32)
        writer.literal(#"{"recorded":"#)
        writer.integer(Int64(recorded))
        writer.literal("}")
        return Answer.json(.accepted, writer)
    }
}
