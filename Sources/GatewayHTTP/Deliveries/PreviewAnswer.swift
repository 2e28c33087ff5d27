internal import FoundationEssentials
internal import GatewayModel
internal import PushPayloads
internal import PushProviders

/// The answer to a preview.
enum PreviewAnswer {
    /// Stands in for the device's token.
    static let token = "device-token"

    /// What of a payload says whether something is missing from it, for both of the providers' shapes.
    private struct Payload: Decodable {
        struct APS: Decodable {
            struct Alert: Decodable { var body: String? }
            var alert: Alert?
        }
        struct Outer: Decodable {
            struct Members: Decodable {
                var text: String?
                var data: String?
                var truncated: String?
            }
            var data: Members?
        }
        struct Anything: Decodable {}

        var aps: APS?
        var data: Anything?
        var truncated: Bool?
        var message: Outer?
    }

    /// Writes it.
    static func write(_ preview: PushPreview, job: PushJob, brand: Brand) -> JSONWriter {
        var writer = JSONWriter(capacity: preview.request.body.count + 1024)
        writer.literal(#"{"method":"POST","url":"#)
        writer.string(preview.origin + preview.request.path)
        writer.literal(#","path":"#)
        writer.string(preview.request.path)
        writer.literal(#","headers":{"#)
        if let authorization = preview.maskedAuthorization {
            writer.literal(#""authorization":"#)
            writer.string(authorization)
        }
        for (index, header) in preview.request.headers.enumerated() {
            if index > 0 || preview.maskedAuthorization != nil { writer.literal(",") }
            writer.string(header.name.description)
            writer.literal(":")
            writer.string(header.value)
        }
        writer.literal(#"},"body":"#)
        writer.raw(preview.request.body)
        writer.literal(#","bodyBytes":"#)
        writer.integer(Int64(preview.countedBytes))
        writer.literal(#","limitBytes":"#)
        writer.integer(Int64(preview.limitBytes))
        writer.literal(#","truncated":["#)
        for (index, name) in truncated(preview.request.body, job: job, brand: brand).enumerated() {
            if index > 0 { writer.literal(",") }
            writer.string(name)
        }
        writer.literal("]}")
        return writer
    }

    /// What is not in the push as the event has it: `text` that was cut or replaced, `data` that was left out, or, when
    /// nothing but those two could be told, `other` members of a push that was reduced to its bare form.
    private static func truncated(_ body: [UInt8], job: PushJob, brand: Brand) -> [String] {
        guard let message = job.message, let payload = try? JSONDecoder().decode(Payload.self, from: Data(body)),
            payload.truncated == true || payload.message?.data?.truncated == "true"
        else { return [] }
        var names: [String] = []
        let text = payload.aps?.alert?.body ?? payload.message?.data?.text
        if !message.silent, text != BrandRendering(brand: brand).words(of: message, for: job).text {
            names.append("text")
        }
        let hasData = payload.message == nil ? payload.data != nil : payload.message?.data?.data != nil
        if message.data != nil, !hasData { names.append("data") }
        return names.isEmpty ? ["other"] : names
    }
}
