internal import FoundationEssentials
internal import GatewayModel
internal import PushPayloads
internal import PushProviders
internal import TextFormats

/// The response to a preview.
enum PreviewResponse {
    /// A placeholder for the device's token.
    static let token = "device-token"

    /// The members of a payload that show whether something was left out, for the formats of both providers.
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

    /// Returns the response.
    static func write(_ preview: PushPreview, job: PushJob, brand: Brand) -> JSONWriter {
        var writer = JSONWriter(capacity: preview.request.body.count + 1024)
        writer.literal(#"{"method":"POST","url":"#)
        writer.string(preview.origin + preview.request.path)
        writer.member("path", preview.request.path)
        writer.literal(#","headers":{"#)
        writer.member("authorization", preview.maskedAuthorization)
        for header in preview.request.headers {
            writer.name(header.name.description)
            writer.string(header.value)
        }
        writer.literal(#"},"body":"#)
        writer.raw(preview.request.body)
        writer.member("bodyBytes", Int64(preview.countedBytes))
        writer.member("limitBytes", Int64(preview.limitBytes))
        writer.array("truncated", truncated(preview.request.body, job: job, brand: brand)) { $0.string($1) }
        writer.literal("}")
        return writer
    }

    /// Returns the members that differ from the event: `text` when it was cut or replaced, `data` when it was left out,
    /// or `other` when the push was reduced to its minimal form and neither of the two explains it.
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
