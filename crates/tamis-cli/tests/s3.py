"""An S3 server on a free port of this machine, with the folders that are named: bucket=folder.

Prints its address when all is there, and ends when its standard input does. A line on standard input, bucket=folder,
uploads the folder (once more) and is answered by the same line.
"""

import pathlib
import sys

import boto3
from moto.server import ThreadedMotoServer


def upload(client, named):
    bucket, _, folder = named.partition("=")
    if bucket not in [known["Name"] for known in client.list_buckets()["Buckets"]]:
        client.create_bucket(Bucket=bucket)
    root = pathlib.Path(folder)
    for path in sorted(root.rglob("*")):
        if path.is_file():
            client.upload_file(str(path), bucket, path.relative_to(root).as_posix())


def main():
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    address = f"http://{host}:{port}"
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
    client = boto3.client("s3", endpoint_url=address, region_name="us-east-1", **keys)
    for named in sys.argv[1:]:
        upload(client, named)
    print(address, flush=True)
    for line in sys.stdin:
        upload(client, line.strip())
        print(line.strip(), flush=True)
    server.stop()


main()
