// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which arguments of which programs are secrets, as data, after their manual pages. Only for `secret_words.cpp`.
// Options whose name says it (`--password`, `--token`) are known for every program and not named here.

#include <string_view>
#include <vector>

namespace portcullis::record {

/// Which part of a value is the secret.
enum class SecretPart {
    Whole,
    BehindColon, ///< `user:secret`
    BehindPercent, ///< `user%secret`
    BehindComma, ///< `user,secret`
    BehindPass, ///< `pass:secret`; other sources name a place
    BehindEquals, ///< `name=secret; name=secret`: a value without `=` is a file
    BehindName, ///< `name=secret`, or the whole where there is no name
    BehindFourthColon, ///< `host:port:database:user:secret`
};

/// Options whose value is a secret.
struct SecretOptions {
    std::vector<std::string_view> programs{}; ///< base names
    std::vector<std::string_view> options{}; ///< with their dashes; the value follows or is glued
    SecretPart part = SecretPart::Whole;
    bool gluedOnly = false; ///< the value never follows as a word of its own: `7z -pX`
    std::string_view verb{}; ///< only where this is an operand
};

/// Operands that are secrets.
struct SecretOperand {
    std::vector<std::string_view> programs{};
    std::vector<std::string_view> verbs{}; ///< that stand first, in this order
    std::size_t index = 0; ///< behind the verbs; `lastOperand` for the last of all
    std::string_view option{}; ///< only with this option
    SecretPart part = SecretPart::Whole;
    std::vector<std::string_view> valueOptions{}; ///< that take a value, beside those of the option table
};
inline constexpr std::size_t lastOperand = static_cast<std::size_t>(-1);

/// Standard input that is a secret, its first line or all lines.
struct SecretInput {
    std::vector<std::string_view> programs{}; ///< any program where empty
    std::vector<std::string_view> verbs{}; ///< words that stand first, in this order
    std::vector<std::string_view> options{}; ///< with one of these, or always where empty
    SecretPart part = SecretPart::Whole;
    bool allLines = false;
};

[[nodiscard]] inline std::vector<SecretOptions> makeSecretOptions()
{
    return {
        {.programs = {"zip", "unzip", "zipcloak", "funzip"}, .options = {"-P"}},
        {.programs = {"7z", "7za", "7zr", "7zz", "rar", "unrar"}, .options = {"-p", "-hp"}, .gluedOnly = true},
        {.programs = {"xfreerdp", "xfreerdp3", "wlfreerdp"}, .options = {"/p:"}, .gluedOnly = true},
        {.programs = {"openssl"}, .options = {"-k", "-K"}},
        {.programs = {"openssl"}, .options = {"-pass", "-passin", "-passout"}, .part = SecretPart::BehindPass},
        {.programs = {"ssh-keygen"}, .options = {"-N", "-P"}},
        {.programs = {"sshpass", "twine", "rdesktop"}, .options = {"-p"}},
        {.programs = {"useradd", "usermod", "adduser"}, .options = {"-p"}},
        {.programs = {"smbclient", "rpcclient", "smbget", "smbmap", "net", "smbcacls", "smbtree"},
         .options = {"-U", "--user"},
         .part = SecretPart::BehindPercent},
        {.programs = {"curl", "curlie"},
         .options = {"-u", "--user", "-U", "--proxy-user", "-E", "--cert", "--proxy-cert"},
         .part = SecretPart::BehindColon},
        {.programs = {"curl", "curlie"}, .options = {"-b", "--cookie"}, .part = SecretPart::BehindEquals},
        {.programs = {"curl", "curlie"}, .options = {"--oauth2-bearer", "--pass", "--proxy-pass", "--tlspassword"}},
        {.programs = {"http", "https", "xh", "xhs"}, .options = {"-a", "--auth"}, .part = SecretPart::BehindColon},
        {.programs = {"http", "https", "xh", "xhs"}, .options = {"-a", "--auth"}, .verb = "bearer"},
        {.programs = {"http", "https", "xh", "xhs"}, .options = {"-a", "--auth"}, .verb = "--auth-type=bearer"},
        {.programs = {"http", "https", "xh", "xhs"}, .options = {"--bearer"}},
        {.programs = {"lftp"}, .options = {"-u", "--user"}, .part = SecretPart::BehindComma},
        {.programs = {"mysql", "mysqldump", "mysqladmin", "mysqlimport", "mysqlshow", "mysqlcheck", "mysqlpump",
                      "mysqlbinlog", "mysqlsh", "mariadb", "mariadb-dump", "mariadb-admin", "mariadb-import",
                      "mariadb-check", "mycli"},
         .options = {"-p"},
         .gluedOnly = true},
        {.programs = {"mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport"},
         .options = {"-p"}},
        {.programs = {"sqlcmd", "bcp", "ipmitool", "mosquitto_pub", "mosquitto_sub"}, .options = {"-P"}},
        {.programs = {"redis-cli", "valkey-cli"}, .options = {"-a", "--pass"}},
        {.programs = {"ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami", "ldapcompare", "ldapmodrdn"},
         .options = {"-w"}},
        {.programs = {"ldappasswd"}, .options = {"-w", "-a", "-s"}},
        {.programs = {"docker", "podman", "buildah", "skopeo", "nerdctl", "helm", "oc", "az", "cf", "argocd", "snowsql",
                      "oras", "crane"},
         .options = {"-p"},
         .verb = "login"},
        {.programs = {"keytool", "jarsigner"},
         .options = {"-storepass", "-keypass", "-srcstorepass", "-deststorepass"}},
        {.programs = {"snmpget", "snmpwalk", "snmpset", "snmpbulkwalk"}, .options = {"-A", "-X"}},
        {.programs = {"security"}, .options = {"-w"}, .verb = "add-generic-password"},
        {.programs = {"gh"}, .options = {"-b", "--body"}, .verb = "secret"},
        {.programs = {"aws"}, .options = {"--secret-string", "--secret-binary"}, .verb = "secretsmanager"},
        {.programs = {"dotnet", "nuget"}, .options = {"-k"}, .verb = "push"},
    };
}

[[nodiscard]] inline std::vector<SecretOperand> makeSecretOperands()
{
    return {
        {.programs = {"htpasswd"}, .index = lastOperand, .option = "-b"},
        {.programs = {"vault", "bao"}, .verbs = {"login"}, .part = SecretPart::BehindName},
        {.programs = {"cargo"}, .verbs = {"login"}},
        {.programs = {"wpa_passphrase"}, .index = 1},
        {.programs = {"mc", "mcli"}, .verbs = {"alias", "set"}, .index = 3},
        {.programs = {"rclone"}, .verbs = {"obscure"}},
        {.programs = {"openssl"}, .verbs = {"passwd"}, .index = lastOperand, .valueOptions = {"-salt", "-in"}},
        {.programs = {"mkpasswd"},
         .index = lastOperand,
         .valueOptions = {"-m", "--method", "-S", "--salt", "-R", "--rounds", "-P"}},
        {.programs = {"bw"}, .verbs = {"unlock"}},
        {.programs = {"mysqladmin", "mariadb-admin"},
         .verbs = {"password"},
         .valueOptions = {"-u", "--user", "-h", "--host", "-P", "--port", "-S", "--socket"}},
        {.programs = {"mysqladmin", "mariadb-admin"},
         .verbs = {"old-password"},
         .valueOptions = {"-u", "--user", "-h", "--host", "-P", "--port", "-S", "--socket"}},
        {.programs = {"bw"}, .verbs = {"login"}, .index = 1},
    };
}

[[nodiscard]] inline std::vector<SecretInput> makeSecretInputs()
{
    return {
        {.programs = {"sudo"}, .options = {"-S", "--stdin"}},
        {.programs = {"chpasswd", "chgpasswd"}, .part = SecretPart::BehindColon, .allLines = true},
        {.programs = {"passwd", "cryptsetup", "su", "smbpasswd", "vncpasswd", "kinit"}, .allLines = true},
        {.options = {"--password-stdin", "--with-token", "--passphrase-fd", "--passwd-stdin"}},
        {.programs = {"openssl"}, .options = {"-stdin"}},
        {.programs = {"pass", "gopass"}},
        {.programs = {"gh"}, .verbs = {"secret", "set"}, .allLines = true},
        {.programs = {"gcloud"}, .verbs = {"secrets"}, .allLines = true},
        {.programs = {"wrangler"}, .verbs = {"secret", "put"}, .allLines = true},
        {.programs = {"docker", "podman"}, .verbs = {"secret", "create"}, .allLines = true},
    };
}

} // namespace portcullis::record
