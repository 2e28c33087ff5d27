import Foundation
import HTTPTransfers
import Testing

@testable import GatewayClient

@Suite("Client of the API")
struct ClientTests {
    @Test("path segments and the values of queries are percent-encoded once")
    func encoding() {
        let client = APIClient(server: "http://a", authorization: nil)
        let request = client.request("GET", ["b/c d", "%41"], query: [("e", "é:~"), ("f", nil)])
        #expect(request.url == "http://a/b%2Fc%20d/%2541?e=%C3%A9%3A~")
    }

    @Test("a problem is printed with its code, detail, members and request")
    func problem() throws {
        let body = try JSONValue(
            parsing: Data(
                #"{"status":422,"code":"invalid_request","detail":"no","requestId":"r1","errors":[{"pointer":"/a","detail":"d"}]}"#
                    .utf8
            )
        )
        let text = APIClient.problem(.init(status: 422, body: body))
        #expect(text == "the gateway responded 422 invalid_request: no\n  /a d (request r1)")
    }

    @Test("a table has columns as wide as their cells and keeps each row on one line")
    func table() {
        let items: [JSONValue] = [["a": "x", "n": 12], ["a": "long\nname", "n": .null], ["n": 3]]
        let table = TextTable(items, columns: [("NAME", "a"), ("N", "n")])
        #expect(table.text == "NAME       N\nx          12\nlong name\n           3")
    }

    @Test("a table reads members of objects, and joins texts with commas")
    func inner() {
        let items: [JSONValue] = [["a": ["id": "x"], "t": ["b", "c"]], ["a": "y", "t": [1]], ["t": []]]
        let table = TextTable(items, columns: [("A", "a.id"), ("T", "t")])
        #expect(table.text == "A  T\nx  b,c\n   [1]\n   []")
    }

    @Test(
        "JSON is printed unchanged",
        arguments: [#"{"a":[1,2.5,true,null,"x\"y"],"b":{"c":-9223372036854775808}}"#, "[]", "\"/\"", "0"]
    )
    func json(text: String) throws {
        #expect(try JSONValue(parsing: Data(text.utf8)).text == text)
    }
}
