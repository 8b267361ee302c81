//! Listens on loopback for whatever gets out.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::desk::wait_for;

type Heard = Arc<Mutex<Vec<(SocketAddr, String)>>>;

/// TCP and UDP on one port.
pub struct Catcher {
    pub port: u16,
    heard: Heard,
}

impl Catcher {
    pub fn new() -> Self {
        let (tcp, udp) = loop {
            let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
            if let Ok(udp) = UdpSocket::bind(tcp.local_addr().unwrap()) {
                break (tcp, udp);
            }
        };
        let port = tcp.local_addr().unwrap().port();
        let heard = Heard::default();
        let (of_tcp, of_udp) = (Arc::clone(&heard), Arc::clone(&heard));
        thread::spawn(move || {
            for stream in tcp.incoming().flatten() {
                let peer = stream.peer_addr().unwrap();
                // A connection alone is a leak: it is noted before anything is read.
                of_tcp.lock().unwrap().push((peer, "a TCP connection".to_owned()));
                let heard = Arc::clone(&of_tcp);
                thread::spawn(move || answer(stream, peer, &heard));
            }
        });
        thread::spawn(move || {
            let mut packet = [0; 2048];
            while let Ok((length, peer)) = udp.recv_from(&mut packet) {
                let text = String::from_utf8_lossy(&packet[..length]).into_owned();
                of_udp.lock().unwrap().push((peer, format!("a packet: {text}")));
            }
        });
        Self { port, heard }
    }

    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// All that was heard, once what the test itself sends last has come through on both ways.
    pub fn caught(&self) -> Vec<String> {
        let place = ("127.0.0.1", self.port);
        let stream = TcpStream::connect(place).unwrap();
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.send_to(b"the last one", place).unwrap();
        let own = [stream.local_addr().unwrap(), socket.local_addr().unwrap()];
        wait_for("what the test sent itself", &mut || {
            let heard = self.heard.lock().unwrap();
            own.iter().all(|own| heard.iter().any(|(peer, _)| peer == own)).then_some(())
        });
        let heard = self.heard.lock().unwrap();
        heard.iter().filter(|(peer, _)| !own.contains(peer)).map(|(_, what)| what.clone()).collect()
    }
}

fn answer(mut stream: TcpStream, peer: SocketAddr, heard: &Heard) {
    let mut first = [0; 512];
    let length = stream.read(&mut first).unwrap_or(0);
    if let Some(line) = String::from_utf8_lossy(&first[..length]).lines().next() {
        heard.lock().unwrap().push((peer, format!("a request: {line}")));
    }
    // Whoever asked may be gone.
    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
}
