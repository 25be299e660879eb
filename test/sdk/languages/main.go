package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"example.com/receiver/webhook"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		body, err := base64.StdEncoding.DecodeString(fields[0])
		if err != nil {
			panic(err)
		}
		seconds, _ := strconv.Atoi(fields[1])
		headers := http.Header{}
		for i := 3; i+1 < len(fields); i += 2 {
			headers.Set(fields[i], fields[i+1])
		}
		secrets := strings.Split(fields[2], " ")
		fmt.Println(webhook.IsGenuine(body, headers, secrets, time.Duration(seconds)*time.Second))
	}
}
