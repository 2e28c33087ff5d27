import Foundation
import SwitchboardClient
import Testing

@testable import switchboard_device

@Suite("Device in the terminal")
struct DeviceTests {
    @Test("a line is a message, or a command with a slash")
    func commands() {
        let lines: [(String, TerminalCommand?)] = [
            ("", nil), ("  ", nil), ("hi there", .write("hi there")), ("/open", .open), ("/tap", .tap(nil)),
            ("/tap m-1", .tap("m-1")), ("/quit", .quit), ("/nothing", .unknown), ("1/2", .write("1/2")),
        ]
        for (line, command) in lines { #expect(TerminalCommand(line) == command) }
    }

    @Test("accepted pushes for the device's own token are read, of APNs and of FCM")
    func pushes() throws {
        let apns = #"{"number":1,"token":"t","result":"accepted","body":{"aps":{"badge":1},"messageId":"m-1"}}"#
        let fcm = #"{"number":2,"token":"t","result":"accepted","body":{"message":{"data":{"messageId":"m-2"}}}}"#
        let refused = #"{"number":3,"token":"t","result":"refused","body":{"messageId":"m-3"}}"#
        let other = #"{"number":4,"token":"o","result":"accepted","body":{"messageId":"m-4"}}"#
        let body = #"{"pushes":[\#(apns),\#(fcm),\#(refused),\#(other)],"next":4}"#
        let pushes = try #require(SimulatorFeed.read(Data(body.utf8), token: "t"))
        #expect(pushes.next == 4)
        #expect(pushes.payloads.count == 2)
        #expect(pushes.payloads.last == PushPayload(data: ["messageId": "m-2"]))
        #expect(SimulatorFeed.read(Data("[]".utf8), token: "t") == nil)
    }
}
