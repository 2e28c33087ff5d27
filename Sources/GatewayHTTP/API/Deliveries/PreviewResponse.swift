internal import FoundationEssentials
internal import GatewayModel
internal import PushPayloads
internal import PushProviders
internal import TextFormats

/// The response to a preview.
enum PreviewResponse {
    /// A placeholder for the device's token.
    static let token = "device-token"

    /// The members of a payload that show whether something was left out, in all formats.
    private struct Members: Decodable {
        /// A value of any type.
        struct Anything: Decodable {
            init(from decoder: any Decoder) {}
        }
        /// `true`, or its text.
        struct Flag: Decodable {
            let isSet: Bool

            init(from decoder: any Decoder) throws {
                let value = try decoder.singleValueContainer()
                isSet = (try? value.decode(Bool.self)) ?? ((try? value.decode(String.self)) == "true")
            }
        }
        /// An object with `body`, or in LivePerson's format a line of title and text.
        struct Alert: Decodable {
            private enum Name: CodingKey { case body }
            let line: String?
            let body: String?

            init(from decoder: any Decoder) throws {
                line = try? decoder.singleValueContainer().decode(String.self)
                let members = line == nil ? try decoder.container(keyedBy: Name.self) : nil
                body = try members?.decodeIfPresent(String.self, forKey: .body)
            }
        }
        struct APS: Decodable { var alert: Alert? }

        var aps: APS?
        var text: String?
        var message: String?
        /// The members of LivePerson's format over FCM, as JSON text.
        var payload: String?
        var data: Anything?
        var truncated: Flag?
    }

    private struct FCM: Decodable {
        struct Message: Decodable { var data: Members }

        var message: Message
    }

    /// A push for FCM or Huawei at a push proxy.
    private struct Proxied: Decodable {
        struct Map: Decodable {
            var message: String?
            var payload: Members
        }
        enum CodingKeys: String, CodingKey {
            case data
            case service = "push-service"
        }

        var data: Map
        var service: Int

        /// The members with the text; nil with 1, as the `data` of a push for APNs is the event's.
        var members: Members? {
            var members = data.payload
            members.message = data.message
            return service == 1 ? nil : members
        }
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
        for name in preview.maskedHeaders {
            writer.name(name)
            writer.string("***")
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
        let decoder = JSONDecoder()
        let payload =
            (try? decoder.decode(FCM.self, from: Data(body)))?.message.data
            ?? (try? decoder.decode(Proxied.self, from: Data(body)))?.members
            ?? (try? decoder.decode(Members.self, from: Data(body)))
        guard let message = job.message, let payload else { return [] }
        let inner = payload.payload.flatMap { try? decoder.decode(Members.self, from: Data($0.utf8)) } ?? payload
        guard inner.truncated?.isSet == true else { return [] }
        var names: [String] = []
        let whole = BrandRendering(brand: brand).words(of: message, for: job).text
        let alert = payload.aps?.alert
        let isWhole =
            alert?.line?.hasByteSuffix(whole) ?? ((alert?.body ?? payload.text ?? payload.message) == whole)
        if !message.silent, !isWhole { names.append("text") }
        if message.data != nil, inner.data == nil { names.append("data") }
        return names.isEmpty ? ["other"] : names
    }
}
