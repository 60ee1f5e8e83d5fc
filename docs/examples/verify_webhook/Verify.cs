using System;
using System.Linq;
using System.Security.Cryptography;
using System.Text;

static class Program
{
    /// <summary>Tells whether a body is signed with a secret, and not long ago.</summary>
    static bool Verify(string secret, string id, string timestamp, string signatures, byte[] body)
    {
        var age = DateTimeOffset.UtcNow.ToUnixTimeSeconds() - long.Parse(timestamp);
        if (Math.Abs(age) > 300) return false;
        var key = Convert.FromBase64String(secret.Substring("whsec_".Length));
        var signed = Encoding.UTF8.GetBytes(id + "." + timestamp + ".").Concat(body).ToArray();
        using (var mac = new HMACSHA256(key))
        {
            var expected = Encoding.ASCII.GetBytes("v1," + Convert.ToBase64String(mac.ComputeHash(signed)));
            return signatures.Split(' ').Any(signature =>
                CryptographicOperations.FixedTimeEquals(Encoding.ASCII.GetBytes(signature), expected));
        }
    }

    static void Main(string[] args)
    {
        var body = Encoding.UTF8.GetBytes(args[4]);
        Console.WriteLine(Verify(args[0], args[1], args[2], args[3], body) ? "verified" : "refused");
    }
}
