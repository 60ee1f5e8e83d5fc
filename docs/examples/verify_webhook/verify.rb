require "base64"
require "openssl"

# Tells whether a body is signed with a secret, and not long ago.
def verify(secret, id, timestamp, signatures, body)
  return false if (Time.now.to_i - timestamp.to_i).abs > 300

  key = Base64.strict_decode64(secret.delete_prefix("whsec_"))
  mac = OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{timestamp}.#{body}")
  expected = "v1,#{Base64.strict_encode64(mac)}"
  signatures.split.any? { |signature| OpenSSL.secure_compare(signature, expected) }
end

puts verify(*ARGV) ? "verified" : "refused"
