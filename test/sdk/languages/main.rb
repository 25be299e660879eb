require_relative "verify"

$stdin.each_line(chomp: true) do |line|
  body, max_age, secrets, *headers = line.split("\t")
  puts genuine?(
    body.unpack1("m0"),
    Hash[*headers],
    secrets.split(" "),
    max_age: max_age.empty? ? nil : max_age.to_i
  )
end
