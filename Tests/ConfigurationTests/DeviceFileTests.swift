import Foundation
import GatewayClient
import Testing

@testable import switchboard

@Suite("Exports of devices")
struct DeviceFileTests {
    private static let token = String(repeating: "ab", count: 32)
    private static let both = ExportTerms(ios: "phone", android: "robot")

    /// Reads an export; each device in a few words, with its number.
    private func read(_ text: String, _ format: ExportFormat, _ terms: ExportTerms = Self.both) async throws -> [String]
    {
        let path = FileManager.default.temporaryDirectory.appending(path: "export-\(UUID().uuidString)")
            .path(percentEncoded: false)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        var found: [String] = []
        var bytes = 0
        try await DeviceFile(path: path, format: format, terms: terms).read { number, count, device in
            bytes += count
            switch device {
            case .line(let line):
                let device = try JSONValue(parsing: Data(line))
                let words = [
                    "consumer", "app", "deviceId", "token", "pushType", "environment", "locale", "timeZone",
                ].map { device[$0].plain }
                found.append("\(number) " + words.joined(separator: " ").trimmingCharacters(in: .whitespaces))
            case .skipped(let reason): found.append("\(number) skipped: \(reason)")
            case .rejected(let reason): found.append("\(number) rejected: \(reason)")
            }
        }
        #expect(bytes <= text.utf8.count + 1)
        return found
    }

    @Test("OneSignal's CSV, with line breaks in quotes and broken rows")
    func oneSignal() async throws {
        let text = """
            \u{FEFF}id,identifier,language,device_type,tags,invalid_identifier,external_user_id,timezone_id
            p-1,\(Self.token),de,0,"{""a"":""1, 2""}",false,u-1,Europe/Vienna
            p-2,fcm:token,en,1,"two
            lines",f,u-2,\r

            p-3,x,en,5,,,u-3,
            p-4,x,en,0,"open,false,u-4,
            p-5,\(Self.token),en,0,,t,u-5,
            p-6,x,en,0
            p-7,fcm:other,,1,,,,
            """
        #expect(
            try await read(text, .onesignal) == [
                "2 u-1 phone p-1 \(Self.token) apns  de Europe/Vienna", "3 u-2 robot p-2 fcm:token fcm  en",
                "6 skipped: device_type 5 is not taken over", "7 rejected: has a quote that is not closed",
                "8 skipped: is unsubscribed", "9 rejected: has 4 fields instead of 8", "10 rejected: has no user",
            ]
        )
        var terms = Self.both
        terms.unidentified = "os-"
        terms.android = nil
        let other = try await read(text, .onesignal, terms)
        #expect(other.last == "10 skipped: no app is named with --android")
        terms.android = "robot"
        #expect(try await read(text, .onesignal, terms).last == "10 os-p-7 robot p-7 fcm:other fcm")
        await #expect(throws: CommandFailure.self) { try await read("a,b\n1,2\n", .onesignal) }
    }

    @Test("Parse's installations as lines, as an array and as results")
    func parse() async throws {
        let first =
            #"{"installationId":"i-1","deviceType":"ios","deviceToken":"\#(Self.token)","#
            + #""localeIdentifier":"en-US","timeZone":"UTC","user":{"__type":"Pointer","objectId":"u-1"}}"#
        let second = #"{"installationId":"i-2","deviceType":"android","deviceToken":"t","_p_user":"_User$u-2"}"#
        let third = #"{"installationId":"i-3","deviceType":"winrt","deviceToken":"t"}"#
        let expected = [
            "u-1 phone i-1 \(Self.token) apns  en-US UTC", "u-2 robot i-2 t fcm",
            "skipped: deviceType winrt is not taken over",
        ]
        let lines = try await read("\(first)\nnot JSON\n\(second)\n\n\(third)\n", .parse)
        #expect(lines == ["1 \(expected[0])", "2 rejected: is not JSON", "3 \(expected[1])", "5 \(expected[2])"])
        let numbered = (1...3).map { "\($0) \(expected[$0 - 1])" }
        #expect(try await read("[\(first),\n\(second),\(third)]", .parse) == numbered)
        #expect(try await read("{\"results\":[\(first),\(second),\n\(third)\n]}\n", .parse) == numbered)
        await #expect(throws: CommandFailure.self) { try await read("{\"results\":[\n{", .parse) }
    }

    @Test("Amazon's endpoints, with the environment of their platform")
    func sns() async throws {
        func endpoint(_ platform: String, _ id: String, _ attributes: String) -> String {
            let arn = "arn:aws:sns:us-west-2:123456789012:endpoint/\(platform)/app/\(id)"
            return #"{"EndpointArn":"\#(arn)","Attributes":{\#(attributes)}}"#
        }
        let endpoints = [
            endpoint("APNS_SANDBOX", "e-1", #""Enabled":"true","Token":"\#(Self.token)","CustomUserData":"u-1""#),
            endpoint("GCM", "e-2", #""Enabled":"true","Token":"t","CustomUserData":"""#),
            endpoint("GCM", "e-3", #""Enabled":"false","Token":"t","CustomUserData":"u-3""#),
            endpoint("ADM", "e-4", #""Enabled":"true","Token":"t""#), endpoint("APNS", "e-5", #""Enabled":"true""#),
        ]
        let found = try await read("{\n \"Endpoints\": [\(endpoints.joined(separator: ",\n"))]}", .sns)
        #expect(
            found == [
                "1 u-1 phone e-1 \(Self.token) apns sandbox", "2 rejected: has no user", "3 skipped: is disabled",
                "4 skipped: platform ADM is not taken over", "5 rejected: has no token",
            ]
        )
        var terms = Self.both
        terms.environment = "production"
        let lines = try await read(endpoints[0] + "\n" + endpoints[3], .sns, terms)
        #expect(lines.first == "1 u-1 phone e-1 \(Self.token) apns production" && lines.count == 2)
    }

    @Test("Azure's registrations, with their user in a tag")
    func azure() async throws {
        func entry(_ kind: String, _ members: String) -> String {
            "<entry xmlns=\"http://www.w3.org/2005/Atom\"><content type=\"application/xml\"><\(kind)RegistrationDescription>"
                + "\(members)</\(kind)RegistrationDescription></content></entry>"
        }
        let text = [
            entry(
                "Apple",
                "<RegistrationId>r-1</RegistrationId><Tags>a,$UserId:u&amp;1</Tags><DeviceToken>\(Self.token)</DeviceToken>"
            ),
            entry("FcmV1", "<RegistrationId>r-2</RegistrationId><FcmV1RegistrationId>t</FcmV1RegistrationId>"),
            "", entry("Windows", "<RegistrationId>r-3</RegistrationId><ChannelUri>https://x</ChannelUri>"), "<entry>",
        ].joined(separator: "\n")
        #expect(
            try await read(text, .azure) == [
                "1 u&1 phone r-1 \(Self.token) apns", "2 rejected: has no user",
                "4 skipped: its kind is not taken over", "5 rejected: is not a registration",
            ]
        )
        var terms = Self.both
        terms.consumerTag = "a"
        terms.unidentified = "nh-"
        #expect(try await read(text, .azure, terms)[1] == "2 nh-r-2 robot r-2 t fcm")
    }

    @Test(
        "fields of CSV",
        arguments: [
            ("", [""]), ("a,,b", ["a", "", "b"]), (#""a,""b""",c"#, [#"a,"b""#, "c"]),
            ("a\r", ["a"]), (#""a"#, nil), ("\"\"", [""]), ("\"\"\"\"", ["\""]),
        ] as [(String, [String]?)]
    )
    func fields(record: String, fields: [String]?) { #expect(CSVText.fields(record.utf8) == fields) }
}
