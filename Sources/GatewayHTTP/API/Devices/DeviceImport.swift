internal import GatewayModel
internal import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import NIOCore
internal import TextFormats

/// Imports the devices of another service, a JSON object a line (TakingOverDevices page).
///
/// Lines are read one after the other; one that cannot be read does not stop the next ones.
struct DeviceImport {
    /// The maximum length of the body.
    static let maxBodyBytes = 16 << 20
    /// The maximum number of lines of a request that are not blank.
    private static let maxLines = 10_000
    /// The maximum length of a line: several times the longest registration.
    private static let maxLineBytes = 32_768
    /// The lines that wait for the writer at the same time: a few of its turns, in which others' changes have their
    /// share.
    private static let linesPerPiece = 200

    /// The result of a line.
    private enum Result {
        case created
        case kept
        case rejected(Problem)
    }

    private let call: Call
    private let brand: Brand
    /// The results of the lines, in the order of the request.
    private var results = JSONWriter(capacity: 1024)
    private var (created, kept, rejected): (Int64, Int64, Int64) = (0, 0, 0)

    private init(_ call: Call, _ brand: Brand) {
        self.call = call
        self.brand = brand
    }

    static func add(to routes: inout RouteTable) {
        routes.on(.post, "/v1/brands/:brand/devices/import") { call in
            let brand = try await call.requireBackend(.consumersWrite)
            guard case "application/x-ndjson" = MediaTypeName(call.request.headers.value(.contentType) ?? "") else {
                throw Problem(.unsupportedMediaType, "The body must be application/x-ndjson.")
            }
            let body = try await call.body { _ in maxBodyBytes }
            var devices = DeviceImport(call, brand)
            try await devices.take(body)
            return devices.response
        }
    }

    /// Imports the devices of a body; throws `Problem` 400 and 413 before anything is imported.
    private mutating func take(_ body: ByteBuffer) async throws(Problem) {
        var count = 0
        for line in Lines(body) where !line.text.isEmpty {
            count += 1
            guard count <= Self.maxLines else {
                throw Problem(.payloadTooLarge, "The body must have at most \(Self.maxLines) lines.")
            }
        }
        guard count > 0 else { throw .unreadable("The body is empty.") }
        var piece = Piece()
        for line in Lines(body) where !line.text.isEmpty {
            let device = device(line.text)
            if piece.lines.count == Self.linesPerPiece || piece.mentions(device) {
                await perform(piece)
                piece = Piece()
            }
            piece.append(line.number, device)
        }
        await perform(piece)
    }

    /// Validates a line; the error of one that is invalid.
    private func device(_ text: ByteBufferView) -> Swift.Result<DeviceToRegister, Problem> {
        Swift.Result { () throws(Problem) in
            guard text.count <= Self.maxLineBytes else {
                throw .unreadable("The line must have at most \(Self.maxLineBytes) bytes.")
            }
            let body = try BodyObject.parse(Array(text))
            var checks = FieldChecks()
            let named = checks.identifier(body["consumer"], as: ConsumerID.self, isRequired: true)
            let ofApp = checks.identifier(body["app"], as: AppID.self, isRequired: true)
            let ofDevice = checks.identifier(body["deviceId"], as: DeviceID.self, isRequired: true)
            let (consumer, stated, device) = try checks.finish(named, ofApp, ofDevice)
            let (id, isSandbox) = call.app(named: stated, of: brand.id)
            guard let app = call.services.directory.app(brand: brand.id, app: id) else {
                throw Problem(invalid: "/app", "is not an app of the brand")
            }
            var registration = try DeviceBody(body: body).registration(
                of: device,
                app: app,
                consumer: consumer,
                isSandbox: isSandbox
            )
            registration.isImported = true
            return registration
        }
    }

    /// Imports the devices of a piece, and writes the results of its lines in their order.
    private mutating func perform(_ piece: Piece) async {
        let call = call
        var found = [Result](repeating: .kept, count: piece.lines.count)
        await withTaskGroup(of: (Int, Result).self) { group in
            for (index, line) in piece.lines.enumerated() {
                switch line.device {
                case .success(let device): group.addTask { (index, await Self.perform(device, call)) }
                case .failure(let problem): found[index] = .rejected(problem)
                }
            }
            for await (index, result) in group { found[index] = result }
        }
        for (line, result) in zip(piece.lines, found) { append(result, of: line.number) }
    }

    private static func perform(_ device: DeviceToRegister, _ call: Call) async -> Result {
        do throws(Problem) {
            switch try await call.perform(.register(device)) {
            case .registered: return .created
            case .kept: return .kept
            case .conflict: return .rejected(Problem(.conflict, "The consumer has as many devices as one may have."))
            // The app was deleted in between.
            default: return .rejected(.notFound("app"))
            }
        } catch { return .rejected(error) }
    }

    // MARK: Response

    private mutating func append(_ result: Result, of line: Int) {
        if !results.bytes.isEmpty { results.literal(",") }
        results.literal(#"{"line":"#)
        results.integer(Int64(line))
        switch result {
        case .created:
            created += 1
            results.literal(#","status":"created"}"#)
        case .kept:
            kept += 1
            results.literal(#","status":"kept"}"#)
        case .rejected(let problem):
            rejected += 1
            results.literal(#","status":"rejected","problem":"#)
            problem.write(to: &results, requestID: call.requestID)
            results.literal("}")
        }
    }

    private var response: Response {
        ResponseFactory.json(.ok, capacity: results.bytes.count + 96) { writer in
            writer.literal(#"{"created":"#)
            writer.integer(created)
            writer.member("kept", kept)
            writer.member("rejected", rejected)
            writer.literal(#","results":["#)
            writer.raw(results.bytes)
            writer.literal("]}")
        }
    }
}

extension DeviceImport {
    /// The lines of a body with their numbers from 1, without white space around them.
    private struct Lines: Sequence, IteratorProtocol {
        private var rest: ByteBufferView
        private var number = 0

        init(_ body: ByteBuffer) { rest = body.readableBytesView }

        mutating func next() -> (number: Int, text: ByteBufferView)? {
            guard !rest.isEmpty else { return nil }
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            var text = rest[rest.startIndex..<end]
            rest = end == rest.endIndex ? rest[end...] : rest[(end + 1)...]
            while let first = text.first, EventText.isSpace(first) { text = text.dropFirst() }
            while let last = text.last, EventText.isSpace(last) { text = text.dropLast() }
            number += 1
            return (number, text)
        }
    }

    /// Lines that are imported together: no two with the same token or device, of which the first counts.
    private struct Piece {
        private(set) var lines: [(number: Int, device: Swift.Result<DeviceToRegister, Problem>)] = []
        private var names: Set<[UInt8]> = []

        /// Whether a line before has the token or the device.
        func mentions(_ device: Swift.Result<DeviceToRegister, Problem>) -> Bool {
            Self.names(device).contains(where: names.contains)
        }

        mutating func append(_ number: Int, _ device: Swift.Result<DeviceToRegister, Problem>) {
            lines.append((number, device))
            names.formUnion(Self.names(device))
        }

        private static func names(_ device: Swift.Result<DeviceToRegister, Problem>) -> [[UInt8]] {
            guard case .success(let device) = device else { return [] }
            return [
                Array("\(device.pushType.rawValue) \(device.token)".utf8),
                Array("\(device.app.rawValue)\n\(device.device.rawValue)".utf8),
            ]
        }
    }
}
