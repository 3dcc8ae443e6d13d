// Asks the SQL port by clickhouse-go over HTTP and prints what it was answered, as JSON.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

func open(method clickhouse.CompressionMethod) driver.Conn {
	conn, err := clickhouse.Open(&clickhouse.Options{
		Addr:        []string{os.Getenv("SPANLOOM_SQL")},
		Protocol:    clickhouse.HTTP,
		Auth:        clickhouse.Auth{Database: "default", Username: "anybody", Password: os.Getenv("SPANLOOM_KEY")},
		Compression: &clickhouse.Compression{Method: method},
	})
	must(err)
	return conn
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func code(err error) int {
	var said *clickhouse.Exception
	if errors.As(err, &said) {
		return int(said.Code)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return -1
	}
	return 0
}

type answers struct {
	Counted  uint64            `json:"counted"`
	Bound    string            `json:"bound"`
	Lists    []string          `json:"lists"`
	Map      map[string]string `json:"map"`
	When     time.Time         `json:"when"`
	Streamed int               `json:"streamed"`
	Empty    bool              `json:"empty"`
	Refused  int               `json:"refused"`
	Outside  int               `json:"outside"`
	Nothing  int               `json:"nothing"`
	Ended    int               `json:"ended"`
}

func ask(conn driver.Conn) answers {
	ctx := context.Background()
	var a answers
	must(conn.Ping(ctx))
	must(conn.QueryRow(ctx, "SELECT count() FROM v_spans").Scan(&a.Counted))
	bound := clickhouse.Context(ctx, clickhouse.WithParameters(clickhouse.Parameters{"b": "it's"}))
	must(conn.QueryRow(bound, "SELECT {b:String}").Scan(&a.Bound))
	kinds := "SELECT ['x', 'y'], map(toLowCardinality('k'), 'v'), toDateTime64('2024-01-02 03:04:05.678', 3, 'UTC')"
	must(conn.QueryRow(ctx, kinds).Scan(&a.Lists, &a.Map, &a.When))
	rows, err := conn.Query(ctx, "SELECT number, toString(number), toLowCardinality(toString(number % 300)), [number] FROM numbers(100000)")
	must(err)
	for rows.Next() {
		var n uint64
		var text, low string
		var list []uint64
		must(rows.Scan(&n, &text, &low, &list))
		if fmt.Sprint(n) != text || fmt.Sprint(n%300) != low || list[0] != n {
			must(fmt.Errorf("row %d came as %s, %s, %v", n, text, low, list))
		}
		a.Streamed++
	}
	must(rows.Err())
	rows, err = conn.Query(ctx, "SELECT * FROM trajectories WHERE 1 = 0")
	must(err)
	a.Empty = !rows.Next() && len(rows.Columns()) > 0
	a.Refused = code(conn.Exec(ctx, "ALTER TABLE steps DELETE WHERE 1"))
	a.Outside = code(conn.QueryRow(ctx, "SELECT file('/etc/passwd')").Err())
	a.Nothing = code(conn.QueryRow(ctx, "SELECT * FROM nothing").Err())
	slow := clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{"max_execution_time": 1}))
	a.Ended = code(conn.QueryRow(slow, "SELECT count() FROM numbers(1900000000) WHERE sipHash64(number) = 1").Err())
	return a
}

func main() {
	methods := map[string]clickhouse.CompressionMethod{
		"none": clickhouse.CompressionNone, "lz4": clickhouse.CompressionLZ4,
		"zstd": clickhouse.CompressionZSTD, "gzip": clickhouse.CompressionGZIP,
	}
	found := map[string]answers{}
	for name, method := range methods {
		found[name] = ask(open(method))
	}
	must(json.NewEncoder(os.Stdout).Encode(found))
}
