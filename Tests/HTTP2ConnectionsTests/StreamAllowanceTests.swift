import Testing

@testable import HTTP2Connections

@Suite("The allowance of streams after a lost connection")
struct StreamAllowanceTests {
    private let answered = HTTP2Response(
        id: 1,
        result: .response(status: 200, headers: HTTP2ResponseHeaders(), body: [])
    )
    private let lost = HTTP2Response(id: 2, result: .failure(.unknown(.connectionLost)))

    @Test("is half of what was lost, and one more with each response")
    func halves() {
        var allowance = StreamAllowance(maximum: 1000)
        allowance.count(Array(repeating: answered, count: 5))
        #expect(allowance.streams == 1000)
        allowance.count(Array(repeating: lost, count: 140))
        #expect(allowance.streams == 70)
        allowance.count(Array(repeating: answered, count: 30))
        #expect(allowance.streams == 100)
        allowance.count(Array(repeating: answered, count: 2000))
        #expect(allowance.streams == 1000)
    }

    @Test("does not fall further when the other connections of the pool are lost too")
    func together() {
        var allowance = StreamAllowance(maximum: 1500)
        for _ in 0..<8 { allowance.count(Array(repeating: lost, count: 400)) }
        #expect(allowance.streams == 200)
    }

    @Test("is never below one, and what was not processed costs nothing")
    func bounds() {
        var allowance = StreamAllowance(maximum: 10)
        let unprocessed = HTTP2Response(id: 3, result: .failure(.unprocessed(.connectionLost)))
        let late = HTTP2Response(id: 4, result: .failure(.unknown(.deadline)))
        allowance.count([unprocessed, late])
        #expect(allowance.streams == 10)
        allowance.count([lost])
        #expect(allowance.streams == 1)
    }
}
