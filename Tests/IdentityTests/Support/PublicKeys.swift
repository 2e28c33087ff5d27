/// Public keys that the `openssl` command made, with its fingerprints; nobody has their private keys.
enum PublicKeys {
    /// An RSA key with 2048 bits.
    static let rsa2048 = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAvd4UdkNgd+M0xIGU6uXb
        yFLiGFb6LlR5ezT677GliJWaRxI+jR2xk1AjU3nPMua3TFXj17kkHu+pivg6pcim
        AieI10B0tYZZYxqJGgy+YPe4Q1/Qk+Q6yME3Gw8UQG5kIGy0ZPVQsZC62YSG0Mi1
        MOSx5PqFuP/LJ1lP61z1H2MjYZiQ3pBmUzMgQ0WIsm+imSfE78OisBELCwKMFYCW
        TA17xzeP8OO0OzZDremsgRWJSscYKiLL3Q3LjiY8VzjzGz27RQ9cYSyHM8sAVelc
        ILIomyFn78ECp1Y+iD04uqSpqZD1OJfrwYM5DfXWhEdnNHrq+BZMoW1RhR9Aq33B
        /wIDAQAB
        -----END PUBLIC KEY-----

        """

    /// An RSA key with 1024 bits.
    static let rsa1024 = """
        -----BEGIN PUBLIC KEY-----
        MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDoftISzbuiXb6Uxsa5uG2NyoNO
        NBT7xBqrpkUpSSjCBcvVpyG3WESrWdij+ShlVH7AapXN40IxZ3/+fyXBcGcbrYPI
        GJLATSlISFi5mBpYmkow0Ydl4EDjkpetGLsC/KiWXG1sM5xUx0ott30ZuxI0P72x
        xfXdaspDuxfyDLz4EwIDAQAB
        -----END PUBLIC KEY-----

        """

    /// An elliptic-curve key on P-256.
    static let p256 = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAENUtS5Ps+uBQWQRCsylWalp7bNycv
        wePaPKNDT7SapBHTDTRU3WeIPsogBAMca4bcBli/K8yfXd9qMfNX6aDYiQ==
        -----END PUBLIC KEY-----

        """

    /// An elliptic-curve key on P-384.
    static let p384 = """
        -----BEGIN PUBLIC KEY-----
        MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEjkTs/61zrO+JN0FgSq6oE2dJ66wXEF+k
        A/B1Pq9n9VdlVC2IgdcPT0RLFZHr3u5nuBWaBs9oTaGAOV864AwwZIKT49XDAE/F
        NP6Ma5W+8i6lVQ275+vrphsUPyDidW1H
        -----END PUBLIC KEY-----

        """

    /// An Edwards-curve key.
    static let ed25519 = """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEAqrR0Z4B8mN2awa56s0o7ALVww0070BekVL0JxxGBdk4=
        -----END PUBLIC KEY-----

        """

    /// An RSA key that is restricted to PSS.
    static let rsaPSS = """
        -----BEGIN PUBLIC KEY-----
        MIIBIDALBgkqhkiG9w0BAQoDggEPADCCAQoCggEBALp8GANrZBFlusx8p0dN+ca9
        3jawGuxdupn1AYpBzQc77TQrim7+TqZWh5e4piG+1aKgi+V+kCXbfl2kJ1ALKAKf
        7UqorQv7Ujvi5X0FuSDtToONpViweoy7m8FsgTzgKzo9X58TjDuPFt9zJpQLADCZ
        OPCg6eHDJyiejuqZWgnmk0HeEza4ugawpa5ZN0bk0ah8GQpHruPwjLCBQy7ztJPl
        /1Edx8C7ypuI9XVbBB6Cyjp8bD9Ne1T8hqD2v1ezhnVmwg5VZUyuBOcmt1bV02CV
        QY6eUB+aUUC5/KiCQkPx96pn8EvY4wGM8i60wB+a+UrBfQfHlM8ai1tsa8gH0p0C
        AwEAAQ==
        -----END PUBLIC KEY-----

        """

    /// `openssl pkey -pubin -outform DER | sha256sum` of ``rsa2048``.
    static let rsa2048Fingerprint = "ddf50d6f5716b828b9be991d5b8c8f60f374ed4c6414c2be071b02bfb17f528d"
    /// `openssl pkey -pubin -outform DER | sha256sum` of ``p256``.
    static let p256Fingerprint = "ab269f5f9a71de64d09be055bcf9461ec1e341a8e2bf63385c4538a37ee7abca"
}
