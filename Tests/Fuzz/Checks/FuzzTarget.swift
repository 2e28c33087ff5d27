/// A parser of untrusted bytes that a fuzzer tests, with a check that does not share its code.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// The C++ reader of events, in buffers without a spare byte, against the strict JSON reader.
    case eventReader = "event-reader"
    /// The strict JSON reader, with texts of up to 1 MiB.
    case strictJSON = "strict-json"
    /// The parsers of PEM and PKCS#12, counting the key derivations that OpenSSL really does.
    case keyFiles = "key-files"

    /// Checks one input.
    ///
    /// - Parameter input: The bytes, of any length.
    /// - Returns: The failed check; nil for none.
    package func failure(on input: UnsafeRawBufferPointer) -> String? {
        switch self {
        case .eventReader: EventReaderCheck.failure(on: input)
        case .strictJSON: StrictJSONCheck.failure(on: input)
        case .keyFiles: KeyFileCheck.failure(on: input)
        }
    }
}
