/// Certificates and keys for tests on loopback, valid until 2120; they protect nothing.
enum TestCertificates {
    /// The root that tests trust.
    static let root = """
        -----BEGIN CERTIFICATE-----
        MIIBbjCCARSgAwIBAgICEAAwCgYIKoZIzj0EAwIwHTEbMBkGA1UEAwwSUHJvdmlk
        ZXIgVGVzdCBSb290MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAd
        MRswGQYDVQQDDBJQcm92aWRlciBUZXN0IFJvb3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAASNSJaeYyWSfBkk58t47Qxi2fXmJlDZWg53wUNwo7H7V79aTjcTZxwK
        i7KcFflDL8DCZpTqs14k4F3NNUS0GH/Ao0IwQDAPBgNVHRMBAf8EBTADAQH/MA4G
        A1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQUk6arf3YlghATQi7tT/0DVREci2IwCgYI
        KoZIzj0EAwIDSAAwRQIhAOXQZFw6SaJFmvyvmjyoYjaIJ2G6JXApE79XPvk/qH7E
        AiAmcduR2ADQqwRtyYOBnhfUykWS+8ntUigPyxEwHpEnAw==
        -----END CERTIFICATE-----
        """

    /// For `localhost` and 127.0.0.1.
    static let leaf = """
        -----BEGIN CERTIFICATE-----
        MIIBtDCCAVmgAwIBAgICEAEwCgYIKoZIzj0EAwIwHTEbMBkGA1UEAwwSUHJvdmlk
        ZXIgVGVzdCBSb290MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAU
        MRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQO
        9r9FiJ3odm9wHYm+7KlZVg5d5azUNLzJBVmEGxR8qNC0Atq0xv6s5lA8ukSDglkm
        OnTsMxOq3Rqzwgd5Svalo4GPMIGMMAkGA1UdEwQCMAAwDgYDVR0PAQH/BAQDAgeA
        MBMGA1UdJQQMMAoGCCsGAQUFBwMBMBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAA
        ATAdBgNVHQ4EFgQU/LoCE1QfAPFzn+g5/apd/gO9x9UwHwYDVR0jBBgwFoAUk6ar
        f3YlghATQi7tT/0DVREci2IwCgYIKoZIzj0EAwIDSQAwRgIhAN1V4aXT0g0moyjP
        FtVvJMCwmMbC/DARnZpXoMp8JdmtAiEAiCLGlBd1JwhDb2zt96cVauuDKE7EBCgJ
        vfZJHWPlE58=
        -----END CERTIFICATE-----
        """

    /// The key of ``leaf`` and ``other``.
    static let leafKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgmnHY9wU7IQ9FHmiV
        bp33wX3N5QhjHRVjVIK91UgJtCyhRANCAAQO9r9FiJ3odm9wHYm+7KlZVg5d5azU
        NLzJBVmEGxR8qNC0Atq0xv6s5lA8ukSDglkmOnTsMxOq3Rqzwgd5Sval
        -----END PRIVATE KEY-----
        """

    /// For another host.
    static let other = """
        -----BEGIN CERTIFICATE-----
        MIIBhzCCASygAwIBAgICEAIwCgYIKoZIzj0EAwIwHTEbMBkGA1UEAwwSUHJvdmlk
        ZXIgVGVzdCBSb290MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAQ
        MQ4wDAYDVQQDDAVvdGhlcjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABA72v0WI
        neh2b3Adib7sqVlWDl3lrNQ0vMkFWYQbFHyo0LQC2rTG/qzmUDy6RIOCWSY6dOwz
        E6rdGrPCB3lK9qWjZzBlMAkGA1UdEwQCMAAwGAYDVR0RBBEwD4INb3RoZXIuZXhh
        bXBsZTAdBgNVHQ4EFgQU/LoCE1QfAPFzn+g5/apd/gO9x9UwHwYDVR0jBBgwFoAU
        k6arf3YlghATQi7tT/0DVREci2IwCgYIKoZIzj0EAwIDSQAwRgIhALO/BNE4/uFl
        gZWGZRivMygPNC5BRyS4l/hJoLYHPSnxAiEAgRIG+HWkUsQsE/yjWfYVWMyRzdcw
        DacEssfQxtw1coQ=
        -----END CERTIFICATE-----
        """

    /// RSA, 2048 bits.
    static let rsaKey = """
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQDxLupeaDDGeoc9
        Ffp0ZfUs80tZ9DLfViB5GucbnEhjkmXv+KX3OZM+jN9H9YJDkoyySIeNLmCRCAb9
        sebNEc2lyBFpTwXt2O/luZK+wj7OB6RVfJZjw0NjJ+7n+NLmVB0AnSGlK/aVsXsd
        aG/E1nLzSlHZfd0iU9rWageaaSYuu5vQO70NV7Q/csOAZWYGFM+N9MwJmq/y1gaq
        G1U/RvXKL404iGM0BE6rDKgjuVhM+DdolLuyVMPGrcFu1B3jV8GYsW9XNT35xusB
        o8z4PiRi7qF0JFgC8XE/+i0+S09soKI5Fv8UqB0i/b6CAPpT0rxamoPyj8VzBWCz
        3mZeYOkZAgMBAAECggEAY8Zs3rFrvDBkUjkNa6niS746pfQIN6yBspgWk62LpOWj
        lirfPe9roqzUkghW4211Fyw6J4XQHS+c9MbsHFoJIVQrH825PjRIyliDBLeHE+TF
        bzgjXxIghpy2kPC3DuItPVvD13jggfzyWbAizOOKmmtcgQU4vkLCfYFPs+lcCmh0
        6S/tIbq9cnXtH0dUeIIa0g5WdyE3KutV/b6B0q3N14mIzLzkmAugi4ruSuUm7ziS
        amjyMsgl1G6l6l/CeKbRUZoUiMKJ4EJiISPURc8dCYAW7wKhiMnK9dwZiCnhQ8ef
        ul6zrC4EeZhHaKejNZrpgaH7dDC2X5+GYmGdBhCmoQKBgQD7xG1SStW1UzebOORx
        qLHpBX5GkM6vc0bXvFgRX0lab0qePossv0qhHaubyaqrg5awXKbxZHn4AcrNv54e
        k1ZVvhKBV2JBF3QskZfpGpZeB7JJDAjiBUXZDI1pQtyj//Ro7BbWPtgENh4WJbZ9
        Qt+4MsYNjC/L32K3IbY1YfGZ0wKBgQD1PO+rewyxOFeQUn2FGRzroWE274vixclW
        4OD0swx7p2uw5nJI6pAzpBVXYc4l1WVwqLcOjkRRRyXusHEFzhEwtBBn95lnEJaO
        D00HWn0RlkIoX2fTP6jW+gZD+su4Nm1+ZlIjJIIPVecgYePLk6YNBrYMSRonMuPy
        S+f9PseR4wKBgQCmv6xgSqxMkjdMGVxEYySiXz8JYbNixQjwrg/uQZwFx5w2PtpS
        4sd8+nfEkMb3HgpZ+KOhUZjux9EYgIcrXQ5bb641+DhdQDlzo2Jnw3JACPzuIIhp
        mnBulz+5rc0Q2d949pURhUHxWB6JMKUzRW2DRC2kn2qwrt1kyXEy3hH0fQKBgAmF
        +USufZqwNm5LVcaCaCYaWT0Z5lPDHIN8LiAyh8yRftQazttYCIuI1q9TA/9iHxNV
        6e3txmdlnOp8/ZadHvvGMlDnQ5TGByKzI2misPKq5BzPP6frc/INOYsQRTL9Ihlj
        fdMRit9vlY8jXgY80Jj25sDpYdOd3U4+dl7WPkfDAoGBAICGOiL2YWqLLZAXaKB5
        aaBK1fYLXKmC1sN1jI3opzE1VwvYt+7jCLanH2NRggGlur+LRo6Tv+6OuWC+knYG
        O2pRbChxrPpC89btN62I8rdT8oXzJe9BRUxUthW1jJJODfdbrABH50ZXO74+fsHr
        78vwhPSjhwnzfTpifSG/uDsi
        -----END PRIVATE KEY-----
        """

    /// RSA, 1024 bits: too small.
    static let smallRSAKey = """
        -----BEGIN PRIVATE KEY-----
        MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBALPcNte/u0mizNYM
        adrnkV0gn1EkhLH/6BKB4vLOKHmH+n9wRYntlb4ozlAdmKsHRp7gBdnsYileyuHt
        bvtRxnc/4koy/SFQmTGasHt2bx5PGUpuy/ZdUTSc+/D891H41BgV6zHtwG1P6NmB
        E0uOcnu6iaRQ23QbUtZWdRIbmuR9AgMBAAECgYAjPxV0RDuEm6W+kKIx5s1izaDK
        +vgSFc85yUBbSrE917rsPGk0NV3x7Pc5VgN0CLH7MnWTFjLKXqwtiCUGlSjqI3sJ
        hwFJ14ttAt3cxXSxO9LNFGVfvSJddyp3wY1u2XbVcxSRhyfBhCGjHshTfp+c0Cxp
        7KYmC3KFIDlAamz6gQJBANoJegzghMptbbrOKwq5PdgCTRs7i8u6Ty/XuifQ0dv+
        2qy82wuO8Aw3QiF//ezVQlmgb2d841Mm4xw6YCYOid0CQQDTLRb9c7jK3/Le7gWl
        RJBN3hpD6FuwQ6nvgT5Eaa/LZJSAAQT79gkd6uTOCQ/mUjozOEyNCcGviwoJNNeP
        LyshAkBU9bZiSCZWPpewX9+zuQTZI+RpxSUvCHUMvnHiS+NKZx9MifaMpXDyQaH6
        LcaDP4IwLGzclXR7FT8P48tNaQLdAkEAiqS4yk/2i+N6Hdihhj68ixL9pYXg5JmX
        8TGmQt4sV1nCkUOaFR4UIDs+WvLiKHHl2gjlYVd9fRXI0gCKYWwzYQJBAKIsAZrL
        M52/EvZDDEihv2b17gKUeTWgoDGs8nH0XVOn0Qa9azNGgGqbvp7k60Jojjc3RLsf
        aYn+5Qv80rJZLaA=
        -----END PRIVATE KEY-----
        """

    /// On another curve than P-256.
    static let p384Key = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDBGIIjV+J/+WD5fNwIb
        ojWQmBPb93xVJrZgUU4yrkUdYERikUjv5V/bN5jgw10jOuuhZANiAARnYY6H9tx0
        Hj1G2dAijvTZio0/2hApKeXHQ3Y3nk36XPDPZepv3ixXtsCflQU/luw8GAY+LGYt
        s8SKIpDPl22GY7nzDiCNzyfS1eXOyCjoi8h89vvge2WMMBLa5gV75f4=
        -----END PRIVATE KEY-----
        """
}
